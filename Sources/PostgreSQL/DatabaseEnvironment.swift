import CPostgreSQL

/// The environment variables that configure libpq.
public enum DatabaseEnvironment {
    /// Removes every PG* variable from the environment, so that the caller's environment cannot choose a server, a
    /// service file or options. Call it first in main, before a second thread exists: the environment has no lock.
    public static func clear() {
        cpostgresql_clear_environment()
    }
}
