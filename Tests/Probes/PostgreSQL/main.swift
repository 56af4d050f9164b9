// Connects to a server. The inherited environment has variables that would redirect libpq. Prints the settings of the
// connection, and which of these variables are left.
import EventLoop
import Glibc
import PostgreSQL

DatabaseEnvironment.clear()
let words = CommandLine.arguments
let names: [String] = ["PGOPTIONS", "PGSERVICE", "PGHOST", "PGLAST"]
let left: [String] = names.filter { getenv($0) != nil }
let application = DatabaseStatement(
    "application", "SELECT current_setting('application_name'), current_setting('work_mem')")

exit(
    EpollLoop.runMain { loop in
        do {
            let settings = try DatabaseSettings([("host", words[1]), ("user", words[2]), ("dbname", "postgres")])
            let database = Database(settings, on: loop)
            let row = try await database.run(application, by: loop.now() + .seconds(30)).rows[0]
            print(try row.text(0), try row.text(1), "left: \(left)")
            await database.close()
            return 0
        } catch {
            print(error)
            return 1
        }
    })
