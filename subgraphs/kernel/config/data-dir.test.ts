import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ConfigError } from './config-error.ts'
import { prepareDataDir } from './data-dir.ts'
import { loadKeys } from '../secrets/keys.ts'

describe('prepareDataDir', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'data-dir-'))
    onTestFinished(() => rm(folder, { recursive: true }))
  })

  it('creates every missing folder, and leaves it empty', async () => {
    const dataDir = join(folder, 'a/b/c')
    await Promise.all([prepareDataDir(dataDir), prepareDataDir(dataDir)])
    await prepareDataDir(dataDir)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o711)
    expect(await readdir(dataDir)).toEqual([])
  })

  it.each([
    ['a file', 'file'],
    ['a folder in a file', 'file/data'],
  ])('refuses %s, also when keys must be generated', async (_name, path) => {
    await writeFile(join(folder, 'file'), '')
    const dataDir = join(folder, path)
    const start = `DATA_DIR: ${dataDir} cannot be created (`
    await expect(prepareDataDir(dataDir)).rejects.toThrow(start)
    const keys = loadKeys({ dataDir, signingKey: null, encryptionKey: null, callerKey: null })
    await expect(keys).rejects.toThrow(start)
    await expect(keys).rejects.toBeInstanceOf(ConfigError)
  })

  it.runIf(process.platform === 'linux').each([['/proc/crm/data'], ['/proc']])(
    'refuses %s at once, because no folder can be created there',
    async (dataDir) => {
      await expect(prepareDataDir(dataDir)).rejects.toThrow(`DATA_DIR: ${dataDir} cannot be `)
    },
  )
})
