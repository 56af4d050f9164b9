import CPostgreSQL

/// What steers libpq from outside.
public enum DatabaseEnvironment {
    /// Takes every PG* variable out of the environment, so that nothing of whoever started the program chooses a server, a
    /// service file or options. Call it first in main, before there is another thread: the environment has no lock.
    public static func clear() {
        cpostgresql_clear_environment()
    }
}
