import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID, type KeyObject } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError, type Config } from '../config/config.ts'
import { prepareDataDir } from '../config/data-dir.ts'

export interface Keys {
  /** Private Ed25519 key that signs session tokens; `createPublicKey` derives the key that verifies them. */
  readonly signing: KeyObject
  /** 32 bytes: the master key that encrypts secrets at rest. */
  readonly encryption: Buffer
  /** Secret that signs the caller for subgraphs in other processes. */
  readonly caller: string
}

interface KeySource {
  readonly fileName: string
  readonly variable: string
  readonly given: string | null
  generate(): string
}

/** Creates the file atomically. When two processes start at the same time, both use the file of the first. */
async function writeOnce(path: string, text: string): Promise<void> {
  const part = `${path}.${randomUUID()}`
  try {
    const file = await open(part, 'wx', 0o600)
    await file
      .writeFile(text)
      .then(() => file.sync())
      .finally(() => file.close())
    await link(part, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(part, { force: true })
  }
}

async function readOrGenerate(folder: string, { fileName, variable, generate }: KeySource): Promise<string> {
  const path = join(folder, fileName)
  try {
    return await readFile(path, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
      await prepareDataDir(dirname(folder))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeOnce(path, `${generate().trim()}\n`)
      return readFile(path, 'utf8')
    })
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const reason = (cause as Error).message
    throw new ConfigError(`The key in ${path} cannot be read or written (${reason}). Set ${variable}.`, { cause })
  }
}

async function load<T>(folder: string, source: KeySource, form: string, parse: (text: string) => T | null): Promise<T> {
  const text = source.given ?? (await readOrGenerate(folder, source))
  const key = parse(text.trim())
  if (key !== null) return key
  const place = source.given === null ? `The file ${join(folder, source.fileName)}` : source.variable
  throw new ConfigError(`${place} must contain ${form}.`)
}

function parseSigning(text: string): KeyObject | null {
  try {
    const key = createPrivateKey(text)
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

/** Accepts canonical base64 only: a decoder that skips unknown characters would accept a damaged key. */
function parseEncryption(text: string): Buffer | null {
  const key = Buffer.from(text, 'base64')
  return key.length === 32 && key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? key : null
}

const parseCaller = (text: string) => (text.length >= 32 ? text : null)

/** Keys from the environment, otherwise from `<dataDir>/keys`. The first start generates missing keys there; later starts reuse them. */
export async function loadKeys(
  config: Pick<Config, 'dataDir' | 'signingKey' | 'encryptionKey' | 'callerKey'>,
): Promise<Keys> {
  const folder = join(config.dataDir, 'keys')
  const signing: KeySource = {
    fileName: 'signing.pem',
    variable: 'SIGNING_KEY',
    given: config.signingKey,
    generate: () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  const encryption: KeySource = {
    fileName: 'encryption.key',
    variable: 'ENCRYPTION_KEY',
    given: config.encryptionKey,
    generate: () => randomBytes(32).toString('base64'),
  }
  const caller: KeySource = {
    fileName: 'caller.key',
    variable: 'CALLER_KEY',
    given: config.callerKey,
    generate: () => randomBytes(32).toString('base64url'),
  }
  return {
    signing: await load(folder, signing, 'an Ed25519 private key (PKCS#8 PEM)', parseSigning),
    encryption: await load(folder, encryption, '32 bytes in base64', parseEncryption),
    caller: await load(folder, caller, 'at least 32 characters', parseCaller),
  }
}
