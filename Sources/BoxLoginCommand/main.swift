import BoxLogin
import Glibc

exit(BoxLogin.run(arguments: CommandLine.arguments))
