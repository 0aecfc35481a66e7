import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadContract } from '../../rest-adapter/contract.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'

// Checks the OpenAPI document with the recommended rules of two linters. It is linted as it is served, because it is merged from many
// files at start. The linters must not send anything and must not ask for newer versions of themselves.

const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
const file = join(folder, 'openapi.json')
writeFileSync(file, JSON.stringify(loadContract(schemaPath('rest')).document, null, 2))

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', DO_NOT_TRACK: '1' }
const root = join(import.meta.dirname, '../..')

const linters: readonly (readonly [command: string, ...args: string[]])[] = [
  ['redocly', 'lint', file, '--config', join(root, 'redocly.yaml'), '--format', 'stylish'],
  ['spectral', 'lint', file, '--ruleset', join(root, '.spectral.yaml'), '--fail-severity', 'warn', '--quiet'],
]

let isClean = true
for (const [command, ...args] of linters) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' })
  if (status === 0 && !/\bwarning\b/.test(stdout)) continue
  isClean = false
  process.stderr.write(`${command} found problems in the merged contract:\n${stdout}${stderr}\n`)
}
rmSync(folder, { recursive: true })
process.exitCode = isClean ? 0 : 1
