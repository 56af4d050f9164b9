import CommandTool
import PostgreSQL

// Called before a second thread exists. The caller's environment must not control libpq.
DatabaseEnvironment.clear()
CommandStart.main(BoxSiteTool.self)
