import Glibc
import SiteServer

exit(ServerMain.run(arguments: CommandLine.arguments))
