import { randomBytes } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compress, encodingFor } from './compression.ts'

const accepts = { 'accept-encoding': 'br' }
const large = Buffer.from(randomBytes(100_000).toString('base64'))

describe('compression', () => {
  it('of more than 64 answers at a time is skipped, until some are done', async () => {
    const running = Array.from({ length: 64 }, () => compress(large, 'br'))
    expect(encodingFor(accepts)).toBeNull()
    for (const compressed of await Promise.all(running))
      expect(brotliDecompressSync(compressed).equals(large)).toBe(true)
    expect(encodingFor(accepts)).toBe('br')
  })

  it.each([
    [{ cookie: 'access_token=x' }, null],
    [{ cookie: 'other=x' }, null],
    [{ cookie: 'access_token=x', authorization: 'Bearer x' }, 'br'],
    [{ cookie: 'access_token=x', 'x-api-key': 'x' }, 'br'],
  ])('of answers to a cookie alone is refused: %j', (headers, encoding) => {
    expect(encodingFor({ ...accepts, ...headers })).toBe(encoding)
  })
})
