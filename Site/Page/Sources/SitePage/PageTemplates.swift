/// The files that are embedded in the program, by name.
enum PageTemplates {
    static let all: [(String, [UInt8])] = [
        ("layout", PackageResources.layout_mustache),
        ("sign-in", PackageResources.sign_in_mustache),
        ("register", PackageResources.register_mustache),
        ("passkey", PackageResources.passkey_mustache),
        ("boxes", PackageResources.boxes_mustache),
        ("box", PackageResources.box_mustache),
        ("administrator", PackageResources.administrator_mustache),
        ("administrators", PackageResources.administrators_mustache),
        ("audit", PackageResources.audit_mustache),
        ("box-add", PackageResources.box_add_mustache),
        ("box-code", PackageResources.box_code_mustache),
        ("box-codes", PackageResources.box_codes_mustache),
        ("box-codes-add", PackageResources.box_codes_add_mustache),
        ("box-waiting", PackageResources.box_waiting_mustache),
        ("people", PackageResources.people_mustache),
        ("phone", PackageResources.phone_mustache),
        ("add", PackageResources.add_mustache),
        ("enrol", PackageResources.enrol_mustache),
        ("enrolment", PackageResources.enrolment_mustache),
        ("enrolment-code", PackageResources.enrolment_code_mustache),
        ("grant", PackageResources.grant_mustache),
        ("confirm", PackageResources.confirm_mustache),
        ("problem", PackageResources.problem_mustache),
        ("pages", PackageResources.pages_mustache),
        ("proposal", PackageResources.proposal_mustache),
        ("proposals", PackageResources.proposals_mustache),
        ("status", PackageResources.status_mustache),
        ("message", PackageResources.message_mustache),
    ]

    static let catalogues: [(String, [UInt8])] = [
        ("en", PackageResources.en_po), ("de", PackageResources.de_po), ("ru", PackageResources.ru_po),
    ]
}
