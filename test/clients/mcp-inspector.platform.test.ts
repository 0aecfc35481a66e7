import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/build/cli.js'))
const run = promisify(execFile)
let member: Member

beforeAll(async () => {
  member = await platform.member()
  await account(member, { name: 'Halvorsen Marine' })
})

/** Runs the command line of the inspector of MCP; rejects if it exits with an error. */
async function inspect(key: string, ...method: readonly string[]): Promise<Record<string, unknown>> {
  const target = [`${platform.url}/mcp`, '--cli', '--transport', 'http', '--header', `X-API-Key: ${key}`]
  // The program finds its own package.json from its folder only.
  const { stdout } = await run(process.execPath, [program, ...target, '--method', ...method], { cwd: dirname(program) })
  return JSON.parse(stdout) as Record<string, unknown>
}

interface Called {
  readonly content: readonly [{ readonly text: string }]
  readonly isError: boolean
}

async function call(key: string, tool: string, ...args: readonly string[]): Promise<unknown> {
  const given = args.flatMap((arg) => ['--tool-arg', arg])
  const { content, isError } = (await inspect(key, 'tools/call', '--tool-name', tool, ...given)) as unknown as Called
  return { isError, told: JSON.parse(content[0].text) as unknown }
}

it('lists the tools, with their schemas and hints', async () => {
  const { tools } = await inspect(member.secret, 'tools/list')
  expect(tools).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: 'query',
        annotations: expect.objectContaining({ readOnlyHint: true, destructiveHint: false }) as object,
        inputSchema: expect.objectContaining({ type: 'object', required: ['document'] }) as object,
      }),
      expect.objectContaining({ name: 'confirm_change' }),
    ]),
  )
})

it('calls tools', async () => {
  expect(await call(member.secret, 'whoami')).toMatchObject({
    isError: false,
    told: { credential: 'API_KEY', userId: member.userId, organization: { id: member.organizationId } },
  })
  expect(await call(member.secret, 'query', 'document={ accountList { total data { name } } }')).toEqual({
    isError: false,
    told: { untrusted: true, data: { accountList: { total: 1, data: [{ name: 'Halvorsen Marine' }] } } },
  })
})

it('fails with a wrong key', async () => {
  const wrong = `${member.secret.slice(0, -1)}${member.secret.endsWith('x') ? 'y' : 'x'}`
  await expect(inspect(wrong, 'tools/list')).rejects.toThrow(/API key|API_KEY|401/)
})
