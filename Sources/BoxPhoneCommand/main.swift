import CommandTool

// Only the start is here; see BoxPhone.swift.
CommandStart.main(BoxPhone.self)
