import Glibc

exit(DirectoryMain.run(arguments: CommandLine.arguments))
