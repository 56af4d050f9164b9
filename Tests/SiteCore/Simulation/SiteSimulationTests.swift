import Testing

@Test("Whatever is restored, lost or hostile: boxes come to the site's entries and to fresh heads", arguments: 0..<20)
func aSiteComesTogether(batch: UInt64) throws {
    for seed in batch * 10..<batch * 10 + 10 {
        let problems = try SiteWorld(seed: seed).run()
        #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))")
        if !problems.isEmpty { return }
    }
}

@Test("A new seed in each run")
func aNewSeed() throws {
    let seed = UInt64.random(in: 0 ... .max)
    let problems = try SiteWorld(seed: seed).run()
    #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))")
}
