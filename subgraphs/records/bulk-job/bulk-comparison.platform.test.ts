import { beforeAll, describe, expect, it } from 'vitest'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { duplicateRule, settleDuplicateKeys } from '../duplicates/duplicates.fixture.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)

type Row = Readonly<Record<'email' | 'lastName' | 'title', string>>

async function withRules(): Promise<Member> {
  const owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
  await duplicateRule(owner)
  await duplicateRule(owner, {
    name: 'Same person',
    matchers: [
      { field: 'lastName', method: 'PERSON' },
      { field: 'title', method: 'EXACT' },
    ],
    logic: 'ALL',
  })
  await settleDuplicateKeys(platform)
  return owner
}

/** Numbers that look random and are always the same. */
function numbers(): (below: number) => number {
  let seed = 20_417
  return (below) => (seed = (seed * 48_271) % 2_147_483_647) % below
}

const next = numbers()
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, () => ({
    email: next(3) === 0 ? '' : `${next(2) ? 'p' : 'P'}${next(60)}@yard.example`,
    lastName: `Dahl ${next(12)}`,
    title: next(4) === 0 ? '' : `Welder ${next(12)}`,
  }))
const csvOf = (rows: readonly Row[]): string =>
  `email,lastName,title\n${rows.map(({ email, lastName, title }) => `${email},${lastName},${title}\n`).join('')}`
const resultsOf = async (by: Member, id: string, kind: 'failed' | 'skipped' | 'successful') =>
  ((await jobs.results(by, id, kind)).match(/^\d+,/gm) ?? []).map((row) => Number.parseInt(row, 10))

describe('rows of a bulk job that are compared together', () => {
  const before = rowsOf(20)
  const rows = rowsOf(160)
  let refused: number[]
  beforeAll(async () => {
    const one = await withRules()
    refused = []
    for (const [index, { email, lastName, title }] of [...before, ...rows].entries()) {
      const body = { lastName, email: email || null, title: title || null }
      const { status } = await one.rest['contactCreate']!({ body } as never)
      if (status === 409 && index >= before.length) refused.push(index - before.length + 1)
    }
  })

  it.each(['FAIL', 'SKIP'])(
    'are duplicates of what single creates are duplicates of: %s',
    async (duplicateStrategy) => {
      const owner = await withRules()
      await jobs.load(owner, { object: 'contact' }, csvOf(before))
      const job = await jobs.load(owner, { object: 'contact', options: { duplicateStrategy } }, csvOf(rows))
      expect(await resultsOf(owner, job.id, duplicateStrategy === 'FAIL' ? 'failed' : 'skipped')).toEqual(refused)
      expect(job).toMatchObject({ recordsSucceeded: rows.length - refused.length })
      expect([refused.length > 50, refused.length < 150]).toEqual([true, true])
    },
  )

  it('are changed where single changes are, in the order of the file', async () => {
    const changedBy = async (owner: Member, change: (ids: readonly string[]) => Promise<number[]>) => {
      const body = { items: Array.from({ length: 40 }, (_, n) => ({ lastName: `Start ${n}` })) }
      const ids: string[] = []
      for (const values of body.items) {
        const answer = await owner.rest['contactCreate']!({ body: values } as never)
        ids.push((answer.body as unknown as { id: string }).id)
      }
      return change(ids)
    }
    const targets = rows.map(() => next(40))
    const single = await withRules()
    const expected = await changedBy(single, async (ids) => {
      const failed: number[] = []
      for (const [index, { email, lastName, title }] of rows.entries()) {
        const values = { lastName, ...(email && { email }), ...(title && { title }) }
        const { status } = await single.rest['contactUpdate']!({ id: ids[targets[index]!], body: values } as never)
        if (status === 409) failed.push(index + 1)
      }
      return failed
    })
    expect(expected.length).toBeGreaterThan(20)
    const owner = await withRules()
    const found = await changedBy(owner, async (ids) => {
      const lines = rows.map(
        ({ email, lastName, title }, index) => `${ids[targets[index]!]},${email},${lastName},${title}\n`,
      )
      const csv = `id,email,lastName,title\n${lines.join('')}`
      const job = await jobs.load(owner, { object: 'contact', operation: 'UPDATE' }, csv)
      return resultsOf(owner, job.id, 'failed')
    })
    expect(found).toEqual(expected)
  })
})
