"""Every way in which SQLAlchemy writes a JSON value, as in the table of `docs/doors.md`.

Each path writes `payload` into row `key` of the model's table: an INSERT path makes the row (the
database numbers it: `key` is 0), an UPDATE path changes the row that is there.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, attributes

Path = Callable[[Session, Any, int, Any], None]


def _row(key: int, payload: Any) -> dict[str, Any]:
    return {"thread": "t", "payload": payload} | ({"id": key} if key else {})


def _typed(session: Session, model: Any) -> Any:
    return model.__table__.c.payload.type


def _json(session: Session) -> str:
    return "jsonb" if session.get_bind().dialect.name == "postgresql" else "text"


def _upsert(session: Session, model: Any) -> Any:
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    return dialect.insert(model)


def add(session: Session, model: Any, key: int, payload: Any) -> None:
    session.add(model(**_row(key, payload)))
    session.flush()


def attribute(session: Session, model: Any, key: int, payload: Any) -> None:
    session.get_one(model, key).payload = payload
    session.flush()


def merge(session: Session, model: Any, key: int, payload: Any) -> None:
    session.merge(model(**_row(key, payload)))
    session.flush()


def flag_modified(session: Session, model: Any, key: int, payload: Any) -> None:
    row = session.get_one(model, key)
    row.payload.clear()
    row.payload.update(payload) if isinstance(payload, dict) else row.payload.extend(payload)
    attributes.flag_modified(row, "payload")
    session.flush()


def in_place(session: Session, model: Any, key: int, payload: Any) -> None:
    row = session.get_one(model, key)
    row.payload.clear()
    row.payload.update(payload) if isinstance(payload, dict) else row.payload.extend(payload)
    session.flush()


def bulk_insert_mappings(session: Session, model: Any, key: int, payload: Any) -> None:
    session.bulk_insert_mappings(model, [_row(key, payload)])


def bulk_update_mappings(session: Session, model: Any, key: int, payload: Any) -> None:
    session.bulk_update_mappings(model, [{"id": key, "payload": payload}])


def bulk_save_objects(session: Session, model: Any, key: int, payload: Any) -> None:
    session.bulk_save_objects([model(**_row(key, payload))])


def insert_many(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model), [_row(key, payload)])


def insert_returning(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model).returning(model.id), [_row(key, payload)]).all()


def insert_one(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model), _row(key, payload))


def insert_values(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model).values(**_row(key, payload)))


def insert_many_values(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model).values([_row(key, payload)]))


def upsert_excluded(session: Session, model: Any, key: int, payload: Any) -> None:
    insert = _upsert(session, model)
    on = insert.on_conflict_do_update(
        index_elements=["id"], set_={"payload": insert.excluded.payload}
    )
    session.execute(on, [_row(key, payload)])


def upsert_literal(session: Session, model: Any, key: int, payload: Any) -> None:
    insert = _upsert(session, model).values(**_row(key, {}))
    session.execute(insert.on_conflict_do_update(index_elements=["id"], set_={"payload": payload}))


def update_values(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.update(model).where(model.id == key).values(payload=payload))


def update_by_key(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.update(model), [{"id": key, "payload": payload}])


def core_insert_in_session(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model.__table__), [_row(key, payload)])


def core_values_in_session(session: Session, model: Any, key: int, payload: Any) -> None:
    session.execute(sa.insert(model.__table__).values(**_row(key, payload)))


def core_update_in_session(session: Session, model: Any, key: int, payload: Any) -> None:
    table = model.__table__
    session.execute(sa.update(table).where(table.c.id == key).values(payload=payload))


def core_insert(session: Session, model: Any, key: int, payload: Any) -> None:
    session.connection().execute(sa.insert(model.__table__), [_row(key, payload)])


def core_update(session: Session, model: Any, key: int, payload: Any) -> None:
    table = model.__table__
    session.connection().execute(sa.update(table).where(table.c.id == key).values(payload=payload))


def text_typed(session: Session, model: Any, key: int, payload: Any) -> None:
    sql = sa.text(f"INSERT INTO {model.__tablename__} (thread, payload) VALUES ('t', :p)")
    bound = sa.bindparam("p", type_=_typed(session, model))
    session.execute(sql.bindparams(bound), {"p": payload})


def text_string(session: Session, model: Any, key: int, payload: Any) -> None:
    sql = sa.text(
        f"INSERT INTO {model.__tablename__} (thread, payload) "
        f"VALUES ('t', CAST(:p AS {_json(session)}))"
    )
    session.execute(sql, {"p": json.dumps(payload)})


def driver_sql(session: Session, model: Any, key: int, payload: Any) -> None:
    mark = "%s" if session.get_bind().dialect.name == "postgresql" else "?"
    session.connection().exec_driver_sql(
        f"INSERT INTO {model.__tablename__} (thread, payload) VALUES ('t', {mark})",
        (json.dumps(payload),),
    )


def literal_sql(session: Session, model: Any, key: int, payload: Any) -> None:
    quoted = json.dumps(payload).replace("'", "''").replace(":", "\\:")
    session.execute(
        sa.text(f"INSERT INTO {model.__tablename__} (thread, payload) VALUES ('t', '{quoted}')")
    )


def server_side(session: Session, model: Any, key: int, payload: Any) -> None:
    """The database itself makes the value: jsonb_set / json_set over the whole row's value."""
    table = model.__tablename__
    quoted = json.dumps([payload])
    if session.get_bind().dialect.name == "postgresql":
        sql = f"UPDATE {table} SET payload = CAST(:p AS jsonb) -> 0 WHERE id = :k"
    else:
        sql = f"UPDATE {table} SET payload = json_extract(:p, '$[0]') WHERE id = :k"
    session.execute(sa.text(sql), {"p": quoted, "k": key})


def from_select(session: Session, model: Any, key: int, payload: Any) -> None:
    table = model.__table__
    source = sa.select(sa.literal("t"), sa.literal_column("payload")).select_from(
        sa.text("poisoned")
    )
    session.execute(sa.insert(table).from_select(["thread", "payload"], source))


PATHS: dict[str, Path] = {
    "`add`, `add_all` + flush": add,
    "attribute set + flush": attribute,
    "`merge`": merge,
    "change in place + `flag_modified`": flag_modified,
    "change in place, not flagged": in_place,
    "`bulk_insert_mappings`": bulk_insert_mappings,
    "`bulk_update_mappings`": bulk_update_mappings,
    "`bulk_save_objects`": bulk_save_objects,
    "`session.execute(insert(M), [..])`": insert_many,
    "the same with `returning`": insert_returning,
    "`session.execute(insert(M), {..})`": insert_one,
    "`insert(M).values(..)`": insert_values,
    "`insert(M).values([..])`": insert_many_values,
    "`on_conflict_do_update`, excluded": upsert_excluded,
    "`on_conflict_do_update`, literal": upsert_literal,
    "`update(M).values(..)`": update_values,
    "`update(M), [keys]`": update_by_key,
    "`session.execute(insert(table), ..)`": core_insert_in_session,
    "`insert(table).values(..)`": core_values_in_session,
    "`session.execute(update(table))`": core_update_in_session,
    "`connection.execute(insert(table))`": core_insert,
    "`connection.execute(update(table))`": core_update,
    "`text()`, typed bind": text_typed,
    "`text()`, JSON string": text_string,
    "`exec_driver_sql`": driver_sql,
    "SQL with the JSON in it": literal_sql,
    "a function of the database": server_side,
    "`insert().from_select(..)`": from_select,
}
UPDATES = {
    attribute, flag_modified, in_place, bulk_update_mappings, upsert_literal, update_values,
    update_by_key, core_update, core_update_in_session, server_side,
    upsert_excluded,
}  # fmt: skip

warnings.filterwarnings("ignore", message=".*bulk.*legacy.*")
