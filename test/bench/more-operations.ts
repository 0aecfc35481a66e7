import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadContract } from '../../rest-adapter/contract.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

const copied = new Set(['dist', 'schema'])
const omitted = new Set(['.git', '.data'])

/** A copy of the built project whose contract serves the accounts under more path prefixes, until it has `wanted` operations. */
export async function withMoreOperations(wanted: number) {
  const root = await mkdtemp(join(tmpdir(), 'crm-bench-'))
  for (const name of await readdir(projectRoot)) {
    if (copied.has(name)) await cp(join(projectRoot, name), join(root, name), { recursive: true })
    else if (!omitted.has(name)) await symlink(join(projectRoot, name), join(root, name))
  }
  const rest = join(root, 'schema/rest')
  const file = join(rest, 'api.yaml')
  const text = await readFile(file, 'utf8')
  const aliases = 'x-path-aliases:\n'
  if (!text.includes(aliases))
    throw new Error('schema/rest/api.yaml must have x-path-aliases to which more can be added.')
  const before = loadContract(rest).operations.length
  let after = before
  for (let copies = 1; after < wanted; copies++) {
    const added = Array.from({ length: copies }, (_, copy) => `  /v1/accounts-${copy + 1}: /v1/accounts\n`)
    await writeFile(file, text.replace(aliases, aliases + added.join('')))
    after = loadContract(rest).operations.length
  }
  return { root, before, after, remove: () => rm(root, { recursive: true, force: true }) }
}
