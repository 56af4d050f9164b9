import AgentConfiguration
import ArgumentParser
import CommandTool
import ConfigurationFile
import Glibc
import TextOutput

/// Shows the configuration and its files, or changes it without an editor.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the configuration and its files, or change it.",
        discussion: """
            /etc/boxagent/boxagent.toml is the administrator's file. Files in /etc/boxagent/conf.d override it key by \
            key, in the order of their names. These commands read the files; they do not ask the agent. \
            boxagent.toml(5) explains each key. Without a subcommand it shows the keys; `boxagent config show --help` lists \
            the options.
            """,
        subcommands: [ConfigShowCommand.self, ConfigSetCommand.self, ConfigUnsetCommand.self],
        defaultSubcommand: ConfigShowCommand.self)
}

struct ConfigurationOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: ArgumentHelp("The administrator's file.", valueName: "file"))
    var path: String = "/etc/boxagent/boxagent.toml"
}

struct ConfigShowCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show keys and their values, with file and line.",
        discussion: """
            Examples:
              boxagent config --changed
              boxagent config show login.hold_seconds --json
            """)

    @Argument(help: "Keys, such as login.hold_seconds. The default is all keys.")
    var keys: [String] = []
    @Flag(help: "Show only keys that a file sets.")
    var changed = false
    @OptionGroup var files: ConfigurationOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        let loaded = try reading { () throws(ConfigurationError) in try LoadedConfiguration.read(path: files.path) }
        for key in keys { try check(key, .negative) }
        let settings = loaded.settings.filter { (keys.isEmpty || keys.contains($0.name)) && !(changed && $0.isDefault) }
        if listing.json {
            terminal.sayWhole(JSONValue.list(settings.map(Self.json)).line)
        } else if settings.isEmpty {
            terminal.say("all keys have their defaults", to: .error)
        } else {
            TextTable.lines([["KEY", "VALUE", "FROM"]] + settings.map(Self.row), width: terminal.columns)
                .forEach { terminal.sayWhole($0) }
        }
    }

    static func row(_ setting: ConfigurationSetting) -> [String] {
        var from = setting.origins.last.map { "\($0.path):\($0.line)" } ?? "default"
        let overridden = setting.origins.dropLast().map { "\($0.path):\($0.line)" }
        if !overridden.isEmpty { from += ", overrides " + overridden.joined(separator: ", ") }
        return [setting.name, Printable.text(setting.value), Printable.text(from)]
    }

    static func json(_ setting: ConfigurationSetting) -> JSONValue {
        .record([
            ("key", .text(setting.name)), ("value", .text(setting.value)), ("default", .flag(setting.isDefault)),
            ("needs_restart", .flag(setting.needsRestart)),
            (
                "origins",
                .list(setting.origins.map { .record([("file", .text($0.path)), ("line", .number($0.line))]) })
            ),
        ])
    }
}

struct ConfigSetCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a key.",
        discussion: """
            Writes /etc/boxagent/conf.d/boxagent-config.toml, which only `boxagent config` changes. If the agent \
            would refuse the value, alone or together with the other files, the command writes nothing.
            Examples:
              boxagent config set login.hold_seconds 20
              boxagent config set radio.kind bluez
              boxagent config set login.services '["login", "lightdm"]'
            """)

    @Argument(help: "The key, such as login.hold_seconds.")
    var key: String
    @Argument(help: "The value, as in the file. Quotation marks around a text are optional.")
    var value: String
    @OptionGroup var files: ConfigurationOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        try check(key, .invalid)
        let (before, after, draft) = try reading { () throws(ConfigurationError) in
            // The current configuration may be refused, and this change may fix it; then the agent needs a restart.
            let before = try? LoadedConfiguration.read(path: files.path)
            var draft = try ConfigurationDraft(beside: files.path)
            try draft.set(key, to: value)
            return (before, try draft.loaded(), draft)
        }
        if let origin = after.origins[key]?.last, origin.path != draft.file {
            throw CommandFailure(
                .invalid, Printable.text("\(origin.path):\(origin.line) sets \(key) too, and is read later"),
                cure: "change the value there")
        }
        try write(draft)
        let holds = after.settings.first { $0.name == key }?.value ?? ""
        terminal.say(Printable.text("\(key) = \(holds), in \(draft.file)"))
        terminal.sayWhatIsNeeded(from: before, to: after)
    }
}

struct ConfigUnsetCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset", abstract: "Remove a key that `config set` has set.",
        discussion: """
            Example:
              boxagent config unset login.hold_seconds
            """)

    @Argument(help: "The key, such as login.hold_seconds.")
    var key: String
    @OptionGroup var files: ConfigurationOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        try check(key, .invalid)
        let (before, after, draft, wasThere) = try reading { () throws(ConfigurationError) in
            // The current configuration may be refused, and this change may fix it; then the agent needs a restart.
            let before = try? LoadedConfiguration.read(path: files.path)
            var draft = try ConfigurationDraft(beside: files.path)
            let wasThere = try draft.unset(key)
            return (before, try draft.loaded(), draft, wasThere)
        }
        guard wasThere else {
            throw CommandFailure(
                .negative, "\(Printable.text(key)) was not set with 'boxagent config set'; nothing was changed")
        }
        try write(draft)
        let setting = after.settings.first { $0.name == key }
        let origin = setting?.origins.last.map { "by \($0.path):\($0.line)" } ?? "by default"
        terminal.say(Printable.text("\(key) = \(setting?.value ?? ""), \(origin)"))
        terminal.sayWhatIsNeeded(from: before, to: after)
    }
}

/// Returns the result of `body`. If the configuration is refused, the command ends and prints each problem on a line.
private func reading<Value>(_ body: () throws(ConfigurationError) -> Value) throws(CommandFailure) -> Value {
    do {
        return try body()
    } catch {
        throw failure(error)
    }
}

/// Throws unless a key of this name exists.
private func check(_ key: String, _ status: ExitStatus) throws(CommandFailure) {
    guard let problem = LoadedConfiguration.problem(withName: key) else { return }
    let said = ProblemText(sentence: Printable.text(problem))
    throw CommandFailure(status, said.what, cure: said.cures.joined(separator: "; "))
}

/// Returns every problem, each followed by its cure.
private func failure(_ error: ConfigurationError) -> CommandFailure {
    let problems = error.problems.map { problem in
        let place = problem.line.map { "\(problem.path):\($0): " } ?? "\(problem.path): "
        return (what: Printable.text(place + problem.what), cure: Printable.text(problem.cure))
    }
    let before = problems.dropLast().map { "boxagent: \($0.what)\n  \($0.cure)" }
    guard let last = problems.last else { return CommandFailure(.invalid, "the configuration is refused") }
    return CommandFailure(.invalid, last.what, cure: last.cure, listing: before)
}

private func write(_ draft: ConfigurationDraft) throws(CommandFailure) {
    do {
        try draft.write()
    } catch {
        let mayNot = error.number == EACCES || error.number == EPERM || error.number == EROFS
        throw CommandFailure(
            mayNot ? .notPermitted : .fault, Printable.text("\(error.path) cannot be written: \(error.reason)"),
            cure: mayNot && geteuid() != 0 ? "run the command as root" : "nothing was changed")
    }
}

extension Terminal {
    fileprivate func sayWhatIsNeeded(from before: LoadedConfiguration?, to after: LoadedConfiguration) {
        let restarts = before?.configuration.changesThatNeedRestart(to: after.configuration) ?? ["it"]
        if before?.configuration == after.configuration {
            say("this was already the value")
        } else if restarts.isEmpty {
            say("to apply the change, run: systemctl reload boxagentd")
        } else {
            say("to apply the change, run: systemctl restart boxagentd")
        }
    }
}
