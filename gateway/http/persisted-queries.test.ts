import { expect, it } from 'vitest'
import { PersistedQueries } from './persisted-queries.ts'

it('caches 16 MB of documents and drops the least recently used', async () => {
  const queries = new PersistedQueries()
  for (let number = 0; number < 40_000; number++) await queries.set(`hash${number}`, `{ a${number}: flag }`)
  expect(queries.bytes).toBeLessThanOrEqual(16_000_000)
  expect(await queries.get('hash39999')).toBe('{ a39999: flag }')
  expect(await queries.get('hash0')).toBeUndefined()
})
