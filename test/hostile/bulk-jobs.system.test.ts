import { beforeAll, describe, expect, it } from 'vitest'
import { duplicateRule, settleDuplicateKeys } from '../../subgraphs/records/duplicates/duplicates.fixture.ts'
import { account } from '../builders.ts'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let loading: Member
let other: Member
/** An account of the other organization. */
let id: string

beforeAll(async () => {
  loading = await platform.member({ organizationId: await platform.organization('Loading'), role: 'OWNER' })
  other = await platform.member({ organizationId: await platform.organization('Reading'), role: 'OWNER' })
  id = ((await account(other, { name: 'Quiet' })) as { id: string }).id
})

/** How long reads of the other organization take while something goes on, each in milliseconds. */
async function waitsDuring(work: Promise<void>): Promise<number[]> {
  const progress = { isDone: false }
  const ended = work.finally(() => (progress.isDone = true))
  const reads = [
    () => other.rest['account']!({ id }),
    () => other.rest['accountList']!({ query: { search: 'Quiet' } }),
    () => other.rest['accountStats']!({}),
  ]
  const waits: number[] = []
  while (!progress.isDone)
    for (const read of reads) {
      const began = performance.now()
      expect((await read()).status).toBe(200)
      waits.push(performance.now() - began)
    }
  await ended
  return waits
}

const csvOf = (count: number): string =>
  `name,website,description\n${Array.from(
    { length: count },
    (_, index) => `Yard ${index},https://yard-${index}.example,"${'A long account of the yard. '.repeat(20)}"`,
  ).join('\n')}\n`

describe('a bulk job in the same process', () => {
  it.each([
    ['together', 10_000],
    ['one by one', 1_500],
  ])('lets another organization read within a second while rows are written %s', async (how, count) => {
    if (how === 'one by one') {
      await duplicateRule(loading, { object: 'account', matchers: [{ field: 'externalId', method: 'EXACT' }] })
      await settleDuplicateKeys(platform)
    }
    const job = await jobs.create(loading, {})
    expect((await jobs.put(loading, job.id, csvOf(count))).status).toBe(200)
    expect((await jobs.complete(loading, job.id)).status).toBe(200)
    const waits = await waitsDuring(jobs.settle())
    expect(await jobs.read(loading, job.id)).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: count })
    expect(waits.length).toBeGreaterThan(10)
    expect(Math.max(...waits)).toBeLessThan(1_000)
  })
})
