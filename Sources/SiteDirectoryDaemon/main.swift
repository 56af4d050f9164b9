import Glibc
import SiteDirectory

exit(DirectoryMain.run(arguments: CommandLine.arguments))
