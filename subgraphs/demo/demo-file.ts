import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Role, Visibility } from '../kernel/context.ts'
import { prepareDataDir } from '../kernel/config/data-dir.ts'

export interface DemoOrganization {
  readonly id: string
  readonly name: string
  readonly users: readonly {
    readonly email: string
    readonly password: string
    readonly role: Role
    readonly visibility: Visibility
  }[]
  readonly apiKeys: readonly { readonly name: string; readonly scopes: readonly string[]; readonly secret: string }[]
}

/** The content of `demo.json` in the data folder: users and keys of the demo. */
export interface Demo {
  readonly baseUrl: string
  readonly organizations: readonly DemoOrganization[]
}

const pathOf = (dataDir: string): string => join(dataDir, 'demo.json')

/** Null if there is no file, or if it is not valid JSON. */
export async function readDemo(dataDir: string): Promise<Demo | null> {
  try {
    return JSON.parse(await readFile(pathOf(dataDir), 'utf8')) as Demo
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Writes the file atomically; only its owner may read it. */
export async function writeDemo(dataDir: string, demo: Demo): Promise<void> {
  const path = pathOf(dataDir)
  const part = `${path}.${randomUUID()}`
  await prepareDataDir(dataDir)
  try {
    const file = await open(part, 'wx', 0o600)
    await file
      .writeFile(`${JSON.stringify(demo, null, 2)}\n`)
      .then(() => file.sync())
      .finally(() => file.close())
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
}
