import CommandTool
import PostgreSQL

// Before a second thread exists: the caller's environment must not control libpq.
DatabaseEnvironment.clear()
CommandStart.main(BoxSiteTool.self)
