import ControlProtocol
import SiteTrust
import TextOutput

/// Bundles that administrators import at boxes without a link.
extension SiteMember {
    mutating func imports(
        _ control: ControlID, _ part: [UInt8], isLast: Bool, _ tools: inout SiteTools, _ out: inout Output
    ) {
        if let importing, importing.control != control {
            return out.emit(.tellControl(control, SiteImportRefusal.other.reply))
        }
        var bundle = importing ?? SiteImport(control: control, belief.site, boxKey: tools.box.publicKey)
        // Keep one owner: the import holds up to 2 MB, and would be copied.
        importing = nil
        do throws(SiteImportRefusal) {
            try bundle.add(part, isLast: isLast)
        } catch {
            return out.emit(.tellControl(control, error.reply))
        }
        importing = bundle
        guard isLast else { return out.emit(.tellControl(control, .done(text: ""))) }
        work(&tools, &out)
        timeHasCome(&tools, &out)
    }

    /// Ends the self-enrolment of a command that has ended, and drops its incomplete bundle.
    mutating func controlLeft(_ control: ControlID, _ out: inout Output) {
        askings.own.left(control, over: link.opened, &out)
        if importing?.control == control { importing = nil }
    }

    /// Fails the imports in progress, because the box leaves its site.
    func endImports(_ out: inout Output) {
        if let importing { out.emit(.tellControl(importing.control, SiteImportRefusal.left.reply)) }
        if case .answer(let control, _)? = writing?.next {
            out.emit(.tellControl(control, SiteImportRefusal.left.reply))
        }
    }

    /// Verifies a complete bundle and starts to write it.
    mutating func settle(_ bundle: SiteImport, _ tools: inout SiteTools, _ out: inout Output) {
        guard let clock = tools.box.clock(out.time) else { return }
        do throws(SiteImportRefusal) {
            let (write, report) = try bundle.outcome(on: belief, at: clock)
            guard let (write, change) = write else { return imported(bundle.control, report, &out) }
            begin(write, change, &tools, &out)
        } catch {
            out.log(.warning, "a bundle was not imported: \(error.what)")
            out.emit(.tellControl(bundle.control, error.reply))
        }
    }

    static func unwritten(_ failure: String) -> ControlReply {
        Refusals.failure(
            .fault, "the bundle could not be stored: \(failure)",
            "fix the problem (see 'boxagent doctor'), and import it again")
    }

    /// Reports the import after the bundle is stored, or if nothing in it is new.
    func imported(_ control: ControlID, _ report: SiteImportListing, _ out: inout Output) {
        if report.isNews { out.log(.notice, "imported a bundle of the site: \(report.words)") }
        out.emit(.tellControl(control, .siteImported(report)))
        out.emit(.tellControl(control, .done(text: report.words)))
    }
}
