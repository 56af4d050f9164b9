import CommandTool
import PostgreSQL

// Before there is a second thread: nothing of whoever started this steers libpq.
DatabaseEnvironment.clear()
CommandStart.main(BoxSiteTool.self)
