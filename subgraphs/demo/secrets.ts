import { hkdfSync } from 'node:crypto'
import { newApiKey, type NewApiKey } from '../kernel/credentials/public.ts'
import type { Keys } from '../kernel/secrets/keys.ts'

/**
 * The secrets of the demo are derived from the installation's encryption key: they differ between installations, and a
 * process that was killed can derive them again.
 */
export class Secrets {
  readonly #key: Buffer

  constructor({ encryption }: Pick<Keys, 'encryption'>) {
    this.#key = encryption
  }

  /** 60 bits as pronounceable text, with all kinds of characters that passwords require: `Kavotimu-resalodi-8294`. */
  password(owner: string): string {
    const below = this.#numbers(`password of ${owner}`)
    const syllables = Array.from({ length: 8 }, () => consonants[below(16)]! + vowels[below(4)]!).join('')
    const digits = String(below(4096)).padStart(4, '0')
    return `${syllables.charAt(0).toUpperCase()}${syllables.slice(1, 8)}-${syllables.slice(8)}-${digits}`
  }

  apiKey(owner: string): NewApiKey {
    return newApiKey(this.#numbers(`key of ${owner}`))
  }

  #numbers(purpose: string): (bound: number) => number {
    const bytes = Buffer.from(hkdfSync('sha256', this.#key, '', `demo: ${purpose}`, 1024))
    let offset = 0
    return (bound) => {
      const limit = Math.floor(2 ** 16 / bound) * bound
      // Numbers above the last multiple of the bound are skipped, because they would make small results more likely.
      for (;;) {
        const number = bytes.readUInt16BE(offset)
        offset += 2
        if (number < limit) return number % bound
      }
    }
  }
}

const consonants = 'bdfghjklmnprstvz'
const vowels = 'aeio'
