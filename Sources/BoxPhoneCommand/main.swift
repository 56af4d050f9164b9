import CommandTool

// The program starts here; the command is in BoxPhone.swift.
CommandStart.main(BoxPhone.self)
