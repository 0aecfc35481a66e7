import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../config/config.ts'
import { loadKeys, type Keys } from './keys.ts'

let parent: string
let dataDir: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'keys-'))
  dataDir = join(parent, 'deep', 'data')
})
afterEach(() => rm(parent, { recursive: true }))

const none = { signingKey: null, encryptionKey: null, callerKey: null }
const exported = ({ signing, encryption, caller }: Keys) => ({
  signing: signing.export({ type: 'pkcs8', format: 'pem' }),
  encryption: encryption.toString('base64'),
  caller,
})
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('loadKeys', () => {
  it('generates keys once, readable by the owner only', async () => {
    const first = await loadKeys({ dataDir, ...none })
    const second = await loadKeys({ dataDir, ...none })

    expect(exported(second)).toEqual(exported(first))
    expect(first.encryption).toHaveLength(32)
    expect(first.caller).toHaveLength(43)
    expect(await modeOf(join(dataDir, 'keys'))).toBe('700')
    expect((await readdir(join(dataDir, 'keys'))).sort()).toEqual(['caller.key', 'encryption.key', 'signing.pem'])
    for (const name of ['caller.key', 'encryption.key', 'signing.pem']) {
      expect(await modeOf(join(dataDir, 'keys', name))).toBe('600')
    }
  })

  it('generates a signing key that signs', async () => {
    const { signing } = await loadKeys({ dataDir, ...none })
    const text = Buffer.from('session')
    expect(verify(null, text, createPublicKey(signing), sign(null, text, signing))).toBe(true)
  })

  it('returns the same keys to all processes that start at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => loadKeys({ dataDir, ...none })))
    expect(new Set(all.map((keys) => JSON.stringify(exported(keys)))).size).toBe(1)
    expect(await readdir(join(dataDir, 'keys'))).toHaveLength(3)
  })

  it('uses given keys and writes nothing', async () => {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const encryptionKey = Buffer.alloc(32, 7).toString('base64')
    const callerKey = 'c'.repeat(32)
    const keys = await loadKeys({ dataDir, signingKey: pem, encryptionKey, callerKey })
    expect(exported(keys)).toEqual({ signing: pem, encryption: encryptionKey, caller: callerKey })
    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.each([
    ['signing.pem', 'not a key', 'an Ed25519 private key (PKCS#8 PEM)'],
    ['encryption.key', 'c2hvcnQ=', '32 bytes in base64'],
    ['encryption.key', `${Buffer.alloc(32).toString('base64')}!`, '32 bytes in base64'],
    ['caller.key', '', 'at least 32 characters'],
  ])('refuses a damaged %s and does not change it', async (name, text, form) => {
    await loadKeys({ dataDir, ...none })
    const path = join(dataDir, 'keys', name)
    await writeFile(path, text)
    await expect(loadKeys({ dataDir, ...none })).rejects.toThrow(
      new ConfigError(`The file ${path} must contain ${form}.`),
    )
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('refuses a given key of another kind', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await expect(loadKeys({ dataDir, ...none, signingKey })).rejects.toThrow(
      new ConfigError('SIGNING_KEY must contain an Ed25519 private key (PKCS#8 PEM).'),
    )
  })

  it('names the file that cannot be read', async () => {
    await mkdir(join(dataDir, 'keys', 'signing.pem'), { recursive: true })
    await expect(loadKeys({ dataDir, ...none })).rejects.toThrow(
      `The key in ${join(dataDir, 'keys', 'signing.pem')} cannot be read or written (EISDIR`,
    )
  })
})
