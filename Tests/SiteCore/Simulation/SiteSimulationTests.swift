import Testing

@Test(
    "Whatever is restored, lost or hostile: boxes come to the site's entries and to fresh heads",
    arguments: [
        0, 10, 20, 30, 2_360_359_705_638_889_426, .random(in: 0 ... .max - 10), .random(in: 0 ... .max - 10),
    ])
func aSiteComesTogether(first: UInt64) throws {
    for seed in first..<first + 10 {
        let problems = try SiteWorld(seed: seed).run()
        #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))")
        if !problems.isEmpty { return }
    }
}
