"""Heal: repair conversations that are poisoned already, in the user's own tables.

scan, plan, apply, verify, undo: plain functions on an engine or on one connection. The database
finds, the core decides, the journal remembers.
"""

from __future__ import annotations

from endmark.heal.apply import apply, heal_in
from endmark.heal.journal import include_name, include_object
from endmark.heal.report import Applied, Item, Options, Run, Scan, Shown, Undone
from endmark.heal.scan import scan, show
from endmark.heal.undo import runs, undo, undo_in

__all__ = [
    "Applied",
    "Item",
    "Options",
    "Run",
    "Scan",
    "Shown",
    "Undone",
    "apply",
    "heal_in",
    "include_name",
    "include_object",
    "runs",
    "scan",
    "show",
    "undo",
    "undo_in",
]
