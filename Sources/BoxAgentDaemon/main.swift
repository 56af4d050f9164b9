import BoxAgent
import Glibc

exit(AgentMain.run(arguments: CommandLine.arguments))
