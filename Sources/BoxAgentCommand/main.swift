import CommandTool

CommandStart.main(BoxAgentTool.self)
