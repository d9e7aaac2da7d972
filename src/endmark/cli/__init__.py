"""The commands: `endmark` for files, `heal-db` for databases.

One function a command, thin over the public functions; what several commands take is a group of
options, and every error leaves through one door.
"""
