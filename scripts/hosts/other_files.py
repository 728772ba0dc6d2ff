# other_files.py: a Parquet, Feather, ORC, Excel, SQLite or DuckDB file, which pyarrow, pandas or DuckDB reads, goes to a
# script of strew in this process by Arrow's stream, numbers without a copy. The script gets the address of the stream.
# python3 other_files.py FILE SCRIPT [libstrew_lua.so], as
# python3 other_files.py trips.parquet <(echo 'for x in strew.from_arrow_stream(...) do print(x) end')
import sys
from ctypes import CDLL, PYFUNCTYPE, RTLD_GLOBAL, c_char_p, c_longlong, c_void_p, py_object, pythonapi

def read(path):  # returns an object with an Arrow stream
    kind = path.rsplit(".", 1)[-1]
    if kind in ("parquet", "feather", "orc"):
        from pyarrow import feather, orc, parquet
        return {"parquet": parquet.read_table, "feather": feather.read_table, "orc": orc.read_table}[kind](path)
    if kind in ("xlsx", "xls"):
        import pandas
        return pandas.read_excel(path)
    with open(path, "rb") as f: is_sqlite = f.read(15) == b"SQLite format 3"
    if is_sqlite:
        import pandas, sqlite3
        connection = sqlite3.connect(path)
        name, = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchone()  # the first one
        return pandas.read_sql(f'SELECT * FROM "{name}"', connection)
    import duckdb
    connection = duckdb.connect(path, read_only=True)
    return connection.sql(f'FROM "{connection.sql("SHOW TABLES").fetchall()[0][0]}"')

file, script, library = (sys.argv + ["libstrew_lua.so.0"])[1:4]
lua = CDLL("liblua5.4.so.0", RTLD_GLOBAL)
CDLL(library.replace("strew_lua", "strew"), RTLD_GLOBAL)
new_state = CDLL(library).strew_new_state
new_state.restype, lua.lua_tolstring.restype = c_void_p, c_char_p
state = c_void_p(new_state(None, None))

stream = read(file).__arrow_c_stream__()
address = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))(stream, b"arrow_array_stream")
failed = lua.luaL_loadfilex(state, script.encode(), None)
if not failed:
    lua.lua_pushinteger(state, c_longlong(address))
    failed = lua.lua_pcallk(state, 1, 0, 0, c_longlong(0), None)
if failed: print(lua.lua_tolstring(state, -1, None).decode())
lua.lua_close(state)
sys.exit(failed)
