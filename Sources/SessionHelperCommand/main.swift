import Glibc
import SessionHelper

exit(SessionHelperMain.run(arguments: CommandLine.arguments))
