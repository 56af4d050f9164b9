import Glibc

exit(PageMain.run(arguments: CommandLine.arguments))
