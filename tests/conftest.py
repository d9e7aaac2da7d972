"""The suite's plugins, each a file beside this one; a later one may use an earlier one."""

pytest_plugins = [
    "fix_leaks",
    "fix_postgres",
    "fix_cli",
    "fix_databases",
    "fix_guard",
    "fix_node",
    "fix_oracles",
    "fix_properties",
    "fix_real",
]
