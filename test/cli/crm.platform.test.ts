import { createHmac } from 'node:crypto'
import { chmod, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startBackground } from '../../worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { freePort } from '../redis-server.ts'
import { aCrm, aProxy, aServer, type Crm } from './crm.fixture.ts'

const platform = usePlatform()
let background: { close(): Promise<void> }
let owner: Member
/** With the key of the owner in its environment. */
let crm: Crm

beforeAll(async () => {
  background = await startBackground(platform.services)
})
afterAll(() => background.close())
beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Halvorsen'), role: 'OWNER' })
  crm = await aCrm({ CRM_URL: platform.url, CRM_API_KEY: owner.secret })
})

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const field = { entity: 'ACCOUNT', name: 'tier', label: 'Tier', fieldType: 'TEXT' }
const fieldFile = 'src/fields/ACCOUNT.tier.field.json'
/** A project with one custom field. */
const project = (values: object = {}) => ({
  'service.project.json': json({ formatVersion: 1, name: 'sales' }),
  [fieldFile]: json({ ...field, ...values }),
})

describe('crm login', () => {
  it('keeps the key in a file for its owner alone, and never shows it', async () => {
    const empty = await aCrm()
    const { code, stdout, stderr } = await empty.runProcess(['login', '--url', `${platform.url}/`], `${owner.secret}\n`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`Server        ${platform.url}\nOrganization  Halvorsen\nUser          Ann Lee <`)
    expect(stdout).not.toContain(owner.secret)
    const file = join(empty.configFolder, 'credentials.json')
    expect([(await stat(file)).mode & 0o777, (await stat(empty.configFolder)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(await readdir(empty.configFolder)).toEqual(['credentials.json'])

    const whoami = await empty.json<{ url: string; user: { role: string } }>(['whoami'])
    expect([whoami.url, whoami.user.role]).toEqual([platform.url, 'OWNER'])
    expect((await empty.run(['logout'])).code).toBe(0)
    expect((await empty.run(['whoami'])).code).toBe(3)
    expect(await readFile(file, 'utf8')).not.toContain(owner.secret)
  })

  it('asks in a terminal, and shows nothing of the key that is typed', async () => {
    const empty = await aCrm()
    const asked = empty.inTerminal('login')
    await asked.shows('URL of the server')
    asked.type(`${platform.url}\r`)
    await asked.shows('API key')
    asked.type(`${owner.secret}\r`)
    const { code, stdout } = await asked.ended
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('Halvorsen')
    expect(stdout).not.toContain(owner.secret.slice(0, 12))
    expect((await empty.run(['whoami'])).code).toBe(0)
  })

  it('ends with 3 for a key that is not valid, and keeps nothing', async () => {
    const empty = await aCrm()
    const { code, stderr } = await empty.run(['login', '--url', platform.url], 'crm_live_wrong')
    expect([code, stderr]).toEqual([3, expect.stringContaining('Error API_KEY_INVALID: ')])
    expect((await empty.run(['whoami'])).code).toBe(3)
  })

  it('warns before it sends a key over a network without https', async () => {
    const empty = await aCrm()
    const url = `http://0.0.0.0:${await freePort()}`
    const { code, stderr } = await empty.run(['login', '--url', url], owner.secret)
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/^Warning: the server is not reached by https, .*\nError /),
    ])
  })

  it('ends with 3 if others may read the file', async () => {
    const empty = await aCrm()
    await empty.run(['login', '--url', platform.url], owner.secret)
    await chmod(join(empty.configFolder, 'credentials.json'), 0o644)
    const { code, stderr } = await empty.run(['whoami'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('Error FILE_NOT_PRIVATE: ')])
  })

  it('sends a key to no server but its own', async () => {
    const received: IncomingHttpHeaders[] = []
    const other = createServer((req, res) => {
      received.push(req.headers)
      res.writeHead(302, { location: platform.url }).end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const empty = await aCrm()
    await empty.run(['login', '--url', platform.url], owner.secret)
    const { code, stderr } = await empty.run(['whoami', '--url', otherUrl])
    expect([code, stderr]).toEqual([3, expect.stringContaining(`There is no API key for ${otherUrl}.`)])
    expect(received).toEqual([])
    const redirected = await crm.in('.', { CRM_URL: otherUrl }).run(['whoami'])
    expect([redirected.code, redirected.stderr]).toEqual([2, expect.stringContaining(`redirects to ${platform.url}`)])
    expect((await crm.in('.', { CRM_URL: '' }).run(['whoami'])).code).toBe(2)
  })
})

describe('a server behind a prefix of the path', () => {
  it('is the one that the key is kept for, and every request has the prefix', async () => {
    const paths: string[] = []
    const origin = await aProxy(
      platform.url,
      ({ path }) => {
        paths.push(path)
        return false
      },
      '/tools/crm',
    )
    const empty = await aCrm()
    const login = await empty.run(['login', '--url', `${origin}/tools/crm/`], `${owner.secret}\n`)
    expect([login.code, login.stderr]).toEqual([0, ''])
    expect(login.stdout).toContain(`Server        ${origin}/tools/crm\n`)
    await empty.write(project())
    expect(await empty.json(['deploy'])).toMatchObject({ status: 'SUCCEEDED', counts: { created: 1 } })
    expect(await empty.json(['diff'])).toMatchObject({ differences: [] })
    expect(paths.filter((path) => !path.startsWith('/tools/crm/v1/'))).toEqual([])
    expect(await empty.json(['whoami', '--url', origin], 3)).toMatchObject({ error: {} })
  })
})

describe('exit codes', () => {
  it.each([
    ['no command', []],
    ['an unknown command', ['depoly']],
    ['an unknown option', ['deploy', '--chek']],
    ['a missing argument', ['trigger']],
    ['no project', ['deploy']],
    ['a URL that is none', ['whoami', '--url', 'crm']],
  ])('2 for %s', async (_, args) => {
    const { code, stdout } = await crm.runProcess(args)
    expect([code, stdout]).toEqual([2, ''])
  })

  it('4 for a server that is not reached, which the message names', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, stderr } = await crm.runProcess(['whoami', '--url', url])
    expect([code, stderr]).toEqual([4, `Error UNREACHABLE: ${url} cannot be reached: ECONNREFUSED.\n`])
    expect(await crm.json(['whoami', '--url', url], 4)).toMatchObject({ error: { code: 'UNREACHABLE' } })
  })

  it.each(['INTERNAL', 'UNAVAILABLE', 'MODEL_FAILED', 'HOOK_UNAVAILABLE'])('4 for %s of a query', async (code) => {
    const errors = [{ message: 'No answer.', path: ['accountList'], extensions: { code } }]
    const url = await aServer((_, res) => res.end(JSON.stringify({ data: null, errors })))
    expect(await crm.json(['query', '{ accountList { total } }', '--url', url], 4)).toMatchObject({ error: { code } })
  })

  it('1 for an answer of something else than the platform', async () => {
    const other = createServer((_req, res) => res.end('<html>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    expect(await crm.json(['whoami', '--url', url], 1)).toMatchObject({ error: { code: 'FOREIGN_ANSWER' } })
  })

  it('3 for a key without the scope', async () => {
    const { secret } = await platform.member({ ...owner, role: 'ADMIN', scopes: ['READ_ACCOUNTS'] })
    await crm.write(project())
    const { code, stderr } = await crm.in('.', { CRM_API_KEY: secret }).runProcess(['deploy'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('Error API_KEY_SCOPE_INSUFFICIENT: ')])
  })

  it('0 for help and version', async () => {
    expect((await crm.runProcess(['--version'])).code).toBe(0)
    const { code, stdout } = await crm.runProcess(['deploy', '--help'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('--check')])
  })
})

describe('control characters of a server', () => {
  const clear = '\u001B[2J'
  const answering = (status: number, answer: object): Promise<string> =>
    aServer((_, res) => res.writeHead(status).end(JSON.stringify(answer)))

  it('are not shown of codes', async () => {
    const errors = [{ path: 'name', code: `WRONG${clear}`, message: 'No.' }]
    const url = await answering(400, { code: `WRONG${clear}`, detail: 'Wrong.', errors })
    const { stderr } = await crm.run(['whoami', '--url', url])
    expect(stderr).toBe('Error WRONG: Wrong.\n  name  WRONG  No.\n')
  })

  it('are not shown of the problems of a deployment', async () => {
    await crm.write(project())
    const problems = [{ file: null, path: 'name', code: `WRONG${clear}`, message: 'No.', usedBy: null }]
    const failed = { id: '1', status: 'FAILED', components: [], problems, missingSecrets: [], warnings: [] }
    const { stdout } = await crm.run(['deploy', '--url', await answering(200, failed)])
    expect(stdout).toBe('x name  WRONG\n    No.\n1 problem. Nothing has changed. Deployment 1\n')
  })

  it('are not in the paths of files', async () => {
    await crm.write(project())
    const url = await answering(200, { version: '1', files: { [`src/a${clear}.json`]: '{}' }, warnings: [] })
    const { code, stderr } = await crm.run(['retrieve', '--url', url])
    expect([code, stderr]).toEqual([
      1,
      'Error WRONG_PATH: The server has sent src/a.json, which is no path of a project.\n',
    ])
    expect(await readdir(join(crm.folder, 'src'))).toEqual(['fields'])
  })
})

describe('crm init', () => {
  it('makes a project that can be deployed, whose schemas a server has', async () => {
    const made = await crm.json<{ files: string[] }>(['init', 'sales'])
    expect(made.files).toEqual(['service.project.json', 'src/.gitkeep', '.vscode/settings.json'])
    const there = crm.in('sales')
    const content = JSON.parse(await readFile(join(there.folder, 'service.project.json'), 'utf8')) as {
      $schema: string
    }
    expect(content).toMatchObject({ formatVersion: 1, name: 'sales' })
    const settings = await readFile(join(there.folder, '.vscode/settings.json'), 'utf8')
    const urls = [content.$schema, ...[...settings.matchAll(/"url": "(.*)"/g)].map(([, url]) => url!)]
    expect(urls).toHaveLength(16)
    for (const url of urls) expect((await fetch(url)).status).toBe(200)
    expect(await there.json(['deploy'])).toMatchObject({ status: 'SUCCEEDED' })
    expect(await crm.json(['init', 'sales'], 1)).toMatchObject({ error: { code: 'EXISTS' } })
  })
})

describe('crm deploy', () => {
  it('deploys from any folder of the project, and says what has changed', async () => {
    // The manifest of an app is no part of a deployment.
    await crm.write({ ...project(), 'app.json': '{' })
    const { code, stdout } = await crm.in('src/fields').run(['deploy'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^\+ CUSTOM_FIELD ACCOUNT\.tier\nDeployed: 1 created, 0 updated, 0 deleted, 0 unchanged\. /,
      ),
    ])
    const again = await crm.json<{ counts: object }>(['deploy'])
    expect(again.counts).toEqual({ created: 0, updated: 0, unchanged: 1, deleted: 0 })
  })

  it('only checks with --check', async () => {
    await crm.write(project())
    expect((await crm.run(['deploy', '--check'])).stdout).toContain('Checked: 1 created')
    const { body } = await owner.rest['metadataRetrieve']!({ body: {} } as never)
    expect(Object.keys(body['files'] as object)).toEqual(['service.project.json'])
  })

  it('shows each problem with its file, line and column, and ends with 1', async () => {
    await crm.write(project({ fieldType: 'TXT' }))
    const { code, stdout } = await crm.runProcess(['deploy'])
    expect(code).toBe(1)
    expect(stdout).toContain(`x ${fieldFile}:5:16  NOT_ALLOWED  fieldType\n    fieldType must be one of`)
    const { problems } = await crm.json<{ problems: object[] }>(['deploy'], 1)
    expect(problems).toMatchObject([{ file: fieldFile, place: `${fieldFile}:5:16`, code: 'NOT_ALLOWED' }])
  })

  it('shows where a source does not compile', async () => {
    await crm.write({
      ...project(),
      'src/functions/score/function.json': json({ name: 'Score' }),
      'src/functions/score/index.ts': 'export default () => 1\nconst = 2\n',
    })
    const { code, stdout } = await crm.run(['deploy'])
    expect([code, stdout]).toEqual([1, expect.stringContaining('x src/functions/score/index.ts:2:7  COMPILE_ERROR')])
  })

  it('refuses another version than the expected one', async () => {
    await crm.write(project())
    const { version } = await crm.json<{ version: string }>(['deploy'])
    await crm.write(project({ label: 'Level' }))
    expect((await crm.json<{ status: string }>(['deploy', '--expected-version', version])).status).toBe('SUCCEEDED')
    expect(await crm.json(['deploy', '--expected-version', version], 1)).toMatchObject({
      error: { code: 'VERSION_CONFLICT' },
    })
    const { code, stdout, stderr } = await crm.run(['deploy', '--expected-version', version])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/Error VERSION_CONFLICT: The organization has the version [\w-]{43}; retrieve it again/)
  })

  it('deletes with --allow-destructive alone', async () => {
    await crm.write(project())
    await crm.run(['deploy'])
    await crm.write({ 'destructiveChanges.json': json({ delete: [{ type: 'CUSTOM_FIELD', name: 'ACCOUNT.tier' }] }) })
    await rm(join(crm.folder, fieldFile))
    expect((await crm.run(['deploy'])).stdout).toContain('x destructiveChanges.json:2:13  NOT_ALLOWED  delete')
    expect((await crm.run(['deploy', '--allow-destructive'])).stdout).toContain('- CUSTOM_FIELD ACCOUNT.tier')
  })

  it('shows its progress in a terminal, and the result after it', async () => {
    await crm.write(project())
    const { code, stdout } = await crm.inTerminal('deploy').ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('Deployed: 1 created')])
    // What the terminal is seen to say depends on how soon each step is done.
    expect(stdout).toMatch(/Sending 2 files|Waiting for another deployment|Comparing the files|Making the changes/)
  })
})

describe('crm test', () => {
  const folder = 'src/functions/grade'
  const grade = (source: string): Record<string, string> => ({
    'service.project.json': json({ formatVersion: 1, name: 'sales' }),
    [`${folder}/function.json`]: json({ name: 'Grade', apiName: 'grade', language: 'typescript' }),
    [`${folder}/index.ts`]: source,
    [`${folder}/tests/best.json`]: json({ input: { score: 91 }, expect: { output: { grade: 'A' } } }),
    [`${folder}/tests/worst.json`]: json({ input: { score: 10 }, expect: { output: { grade: 'C' } } }),
  })
  const right = `export default ({ score }: { score: number }) => {
    console.log(score + ' points')
    return { grade: score >= 80 ? 'A' : 'C' }
  }`
  const wrong = right.replace("'C'", "'B'")
  const withoutTimes = (text: string): string => text.replaceAll(/\d+ ms/g, 'n ms')
  const deployments = async () => ((await owner.rest['metadataDeploymentList']!({})).body['data'] as object[]).length

  it('shows each test with its time, and where one that fails expects something else, and ends with 1', async () => {
    await crm.write(grade(wrong))
    const failed = await crm.in('src').run(['test'])
    expect([failed.code, withoutTimes(failed.stdout)]).toEqual([
      1,
      [
        'ok grade/best  n ms',
        `x grade/worst  n ms  FAILED  ${folder}/tests/worst.json:7:16`,
        '    expect.output.grade must be "C", and is "B".',
        '    INFO  10 points',
        '1 test passed, 1 failed, in n ms.',
        '',
      ].join('\n'),
    ])
    const named = await crm.run(['test', 'grade/best'])
    expect([named.code, withoutTimes(named.stdout)]).toEqual([
      0,
      'ok grade/best  n ms\n1 test passed, 0 failed, in n ms.\n',
    ])
    const report = await crm.json<{ tests: readonly object[] }>(['test', 'grade'], 1)
    expect(report).toMatchObject({ status: 'FAILED', passed: 1, failed: 1 })
    expect(report.tests[1]).toMatchObject({ status: 'FAILED', place: `${folder}/tests/worst.json:7:16` })
    expect(await crm.json(['test', 'nothing'], 1)).toMatchObject({ error: { errors: [{ code: 'UNKNOWN_REFERENCE' }] } })
    expect(await deployments()).toBe(0)
  })

  it('shows problems of files with their places, and sends nothing but functions', async () => {
    await crm.write({ ...grade('export default () => 1\nconst = 2\n'), 'src/fields/ACCOUNT.tier.field.json': '{' })
    const uncompiled = await crm.run(['test'])
    expect(uncompiled.code).toBe(1)
    expect(uncompiled.stdout).toContain(`x ${folder}/index.ts:2:7  COMPILE_ERROR`)
    await crm.write({ ...grade(right), [`${folder}/tests/worst.json`]: json({ expect: { outputs: 1 } }) })
    const refused = await crm.run(['test'])
    expect(refused.stdout).toContain(`x ${folder}/tests/worst.json:3:16  UNKNOWN_FIELD  expect.outputs`)
    await crm.write(grade(right))
    expect((await crm.run(['test'])).code).toBe(0)
  })

  it('runs before a deployment with --tests, which has no effect unless they pass', async () => {
    await crm.write(grade(wrong))
    const failed = await crm.run(['deploy', '--tests', 'all'])
    expect(failed.code).toBe(1)
    expect(failed.stdout).toContain(
      `x ${folder}/tests/worst.json:7:16  TEST_FAILED  expect.output.grade\n    The test grade/worst has not passed.`,
    )
    expect((await owner.rest['serverlessFunction']!({ id: 'grade' })).status).toBe(404)
    const checked = await crm.run(['deploy', '--check', '--tests', 'grade/best'])
    expect([checked.code, withoutTimes(checked.stdout)]).toEqual([
      0,
      expect.stringContaining('ok grade/best  n ms\n+ FUNCTION grade\nChecked: 1 created'),
    ])
    expect((await crm.json<{ testResults: object[] }>(['deploy', '--tests', 'none'])).testResults).toEqual([])
    await crm.write(grade(right))
    const passed = await crm.json(['deploy', '--tests', 'grade/best,grade/worst'])
    expect(passed).toMatchObject({ status: 'SUCCEEDED', testResults: [{ status: 'PASSED' }, { status: 'PASSED' }] })
    expect((await crm.run(['diff', '--exit-code'])).code).toBe(0)
    await crm.write({ [`${folder}/tests/worst.json`]: '{ "expect": { "output": {} } }' })
    expect((await crm.run(['diff'])).stdout).toContain(`${folder}/tests/worst.json: different`)
  })

  it('is for keys with MANAGE_METADATA', async () => {
    const { organizationId } = owner
    const reader = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_FUNCTIONS'] })
    await crm.write(grade(right))
    expect((await crm.in('', { CRM_API_KEY: reader.secret }).run(['test'])).code).toBe(3)
  })
})

describe('crm retrieve and crm diff', () => {
  it('bring the files of an organization into a project that is then the same', async () => {
    await crm.write(project())
    await crm.run(['deploy'])
    await crm.run(['init', 'other'])
    const other = crm.in('other')
    expect((await other.run(['diff'])).stdout).toContain(`${fieldFile}: only in the organization`)
    expect((await other.run(['retrieve'])).stdout).toContain(`+ ${fieldFile}\n1 new file, 0 changed`)
    expect((await other.run(['diff', '--exit-code'])).stdout).toBe('The project and the organization are the same.\n')
    // Without the properties that say what their absence says too.
    expect((await crm.run(['diff', '--exit-code'])).stdout).toBe('The project and the organization are the same.\n')
  })

  it('show what differs, and write over nothing unasked', async () => {
    await crm.write(project())
    await crm.run(['deploy'])
    await crm.write({ ...project({ label: 'Level' }), 'src/events/stopped.event.json': json({ apiName: 'stopped' }) })
    const { code, stdout } = await crm.run(['diff', '--exit-code'])
    expect(code).toBe(1)
    expect(stdout).toContain('-  "label": "Tier",\n+  "label": "Level",')
    expect(stdout).toContain('src/events/stopped.event.json: only in the project')
    expect((await crm.run(['diff'])).code).toBe(0)

    expect(await crm.json(['retrieve'], 1)).toMatchObject({ error: { code: 'WOULD_OVERWRITE' } })
    expect(await readFile(join(crm.folder, fieldFile), 'utf8')).toContain('Level')
    expect(await crm.json(['retrieve', '--force'])).toMatchObject({ created: [], changed: [fieldFile] })
    expect(await readFile(join(crm.folder, fieldFile), 'utf8')).toContain('Tier')
  })

  it('ask in a terminal before they write over files', async () => {
    await crm.write(project())
    await crm.run(['deploy'])
    await crm.write(project({ label: 'Level' }))
    const asked = crm.inTerminal('retrieve')
    await asked.shows('Write over them?')
    asked.type('y')
    expect((await asked.ended).code).toBe(0)
    expect(await readFile(join(crm.folder, fieldFile), 'utf8')).toContain('Tier')
  })

  it('write nothing through a link that leads out of the project', async () => {
    await crm.write(project())
    await crm.run(['deploy'])
    await crm.run(['init', 'other'])
    const other = crm.in('other')
    await symlink(crm.configFolder, join(other.folder, 'src/fields'))
    expect(await other.json(['retrieve', '--force'], 1)).toMatchObject({ error: { code: 'WRONG_PATH' } })
  })

  it('take the types and components that are named', async () => {
    await crm.write({ ...project(), 'src/objects/site.object.json': json({ name: 'site', label: 'Site', fields: [] }) })
    await crm.run(['deploy'])
    await crm.run(['init', 'other'])
    const other = crm.in('other')
    const { created } = await other.json<{ created: string[] }>(['retrieve', '--types', 'CUSTOM_OBJECT'])
    expect(created).toEqual(['src/objects/site.object.json'])
    const named = ['retrieve', '--component', 'CUSTOM_FIELD:ACCOUNT.tier']
    expect((await other.json<{ created: string[] }>(named)).created).toEqual([fieldFile])
    expect((await other.run(['retrieve', '--component', 'nothing'])).code).toBe(2)
  })
})

describe('crm listen and crm trigger', () => {
  it('forward events to a URL, signed with a secret that is kept', async () => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = []
    const receiver = createServer(async (req, res) => {
      received.push({ headers: req.headers, body: Buffer.concat(await req.toArray()).toString() })
      res.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const listening = crm.start('listen', '--events', 'lead.*', '--forward-to', url, '--count', '1', '--json')
    await listening.shows('Listening to lead.*')
    const sent = await crm.json<{ id: string; streams: number }>(['trigger', 'lead.created'])
    expect(sent.streams).toBe(1)
    const { code, stdout, stderr } = await listening.ended
    expect(code).toBe(0)
    const item = JSON.parse(stdout) as { event: { id: string; type: string }; forwarded: { status: number } }
    expect([item.event.id, item.event.type, item.forwarded.status]).toEqual([sent.id, 'lead.created', 204])

    const file = join(crm.configFolder, 'webhook-secret')
    const secret = (await readFile(file, 'utf8')).trim()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(stderr).toContain(file)
    expect(stdout + stderr).not.toContain(secret)
    const [{ headers, body }] = received as [{ headers: IncomingHttpHeaders; body: string }]
    const [, time, signature] = /^t=(\d+),v1=([\da-f]{64})$/.exec(String(headers['x-service-signature']))!
    expect(signature).toBe(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
    expect(headers['x-service-event-id']).toBe(sent.id)
    expect(JSON.parse(body)).toEqual(item.event)
  })

  it('end with 0 when they are interrupted, and with 1 for an unknown type', async () => {
    const listening = crm.start('listen')
    await listening.shows('Listening to all events')
    listening.child.kill('SIGINT')
    expect((await listening.ended).code).toBe(0)
    expect(await crm.json(['trigger', 'nothing.created'], 1)).toMatchObject({
      error: { code: 'VALIDATION_FAILED', errors: [{ path: 'type', code: 'UNKNOWN_EVENT' }] },
    })
  })
})

describe('crm logs', () => {
  it('show the invocations of a function with its log, and go on', async () => {
    await crm.write({
      ...project(),
      'src/functions/greet/function.json': json({ name: 'Greet', httpEnabled: true }),
      'src/functions/greet/index.ts':
        'export default (input: { name: string }) => { console.log(`Hello \\u001b[31m${input.name}`); if (input.name === "x") throw new Error("No name") }\n',
    })
    expect((await crm.run(['deploy'])).code).toBe(0)
    const invoke = (name: string) =>
      owner.rest['serverlessFunctionInvoke']!({
        id: 'greet',
        body: { input: { name } },
        headers: { 'x-service-function-depth': '0' },
      } as never)
    expect((await invoke('Ann')).status).toBe(200)
    const following = crm.start('logs', 'function', 'greet', '--follow')
    await following.shows('Hello Ann')
    await invoke('x')
    await following.shows('Error: No name')
    following.child.kill('SIGTERM')
    const { code, stdout } = await following.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain('\u001B')
    const { stdout: failed } = await crm.run(['logs', 'function', 'greet', '--status', 'FAILED', '--json'])
    expect(
      failed
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { status: string }).status),
    ).toEqual(['FAILED'])
    expect((await crm.run(['logs', 'function', 'nothing'])).code).toBe(1)
  })

  it('go on when an invocation is deleted before it is shown', async () => {
    await crm.write({
      ...project(),
      'src/functions/greet/function.json': json({ name: 'Greet', httpEnabled: true }),
      'src/functions/greet/index.ts': 'export default ({ name }: { name: string }) => console.log(`Hello ${name}`)\n',
    })
    expect((await crm.run(['deploy'])).code).toBe(0)
    const invoke = async (name: string): Promise<void> => {
      const { status } = await owner.rest['serverlessFunctionInvoke']!({
        id: 'greet',
        body: { input: { name } },
        headers: { 'x-service-function-depth': '0' },
      } as never)
      expect(status).toBe(200)
    }
    await invoke('Ann')
    const deleted = Promise.withResolvers<void>()
    const url = await aProxy(platform.url, async ({ path }) => {
      const [, id] = /\/invocations\/([\da-f-]+)$/.exec(path) ?? []
      if (id === undefined || !following.stdout.includes('Hello Ann')) return false
      const rows = await platform.query('delete from extensions.function_invocation where id = $1 returning id', [id])
      if (rows.length === 1) deleted.resolve()
      return false
    })
    const following = crm.start('logs', 'function', 'greet', '--follow', '--url', url)
    await following.shows('Hello Ann')
    await invoke('Bea')
    await Promise.race([deleted.promise, following.ended])
    following.child.kill('SIGTERM')
    const { code, stdout, stderr } = await following.ended
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toContain('Hello Bea')
  })

  it('show the runs of a workflow with their steps', async () => {
    await crm.write({
      ...project(),
      'src/workflows/Call.workflow.json': json({
        name: 'Call',
        triggerType: 'MANUAL',
        triggerEntity: 'ACCOUNT',
        actions: [{ id: 'call', type: 'CREATE_TASK', config: { subject: 'Call {{record.name}}' } }],
      }),
    })
    expect((await crm.run(['deploy'])).code).toBe(0)
    const { body: workflows } = await owner.rest['workflowList']!({})
    const [{ id }] = workflows['data'] as [{ id: string }]
    await owner.rest['workflowActivate']!({ id })
    const { body: account } = await owner.rest['accountCreate']!({ body: { name: 'Halvorsen' } } as never)
    await owner.rest['workflowRunStart']!({ id, body: { recordType: 'ACCOUNT', recordId: account['id'] } } as never)
    const following = crm.start('logs', 'workflow', 'Call', '--follow')
    await following.shows('call  CREATE_TASK  SUCCEEDED')
    following.child.kill('SIGINT')
    expect((await following.ended).code).toBe(0)
    expect((await crm.run(['logs', 'workflow', 'nothing'])).code).toBe(1)
  })
})

describe('crm query', () => {
  it('prints the data, from the argument, a file and the standard input', async () => {
    await owner.rest['accountCreate']!({ body: { name: 'Halvorsen' } } as never)
    const text = 'query ($limit: Int!) { accountList(limit: $limit) { data { name } } }'
    const expected = { accountList: { data: [{ name: 'Halvorsen' }] } }
    const variables = ['--variables', '{"limit": 3}']
    await crm.write({ 'accounts.graphql': text })
    for (const [args, input] of [
      [[text], ''],
      [['--file', 'accounts.graphql'], ''],
      [['-'], text],
    ] as const)
      expect(JSON.parse((await crm.runProcess(['query', ...args, ...variables], input)).stdout)).toEqual(expected)
  })

  it('shows errors with their code and place, and ends with 1', async () => {
    const { code, stderr } = await crm.run(['query', '{ accountList { data { nothing } } }'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Error GRAPHQL_VALIDATION_FAILED: ')])
    expect(stderr).toContain('line 1, column 24')
    expect((await crm.run(['query', '{ __typename }', '--variables', '[]'])).code).toBe(2)
  })
})

describe('crm bulk import', () => {
  const names = async (): Promise<unknown[]> => {
    const { body } = await owner.rest['accountList']!({})
    return (body['data'] as { name: string }[]).map(({ name }) => name).toSorted()
  }

  it('loads a file with progress in a terminal', async () => {
    await crm.write({ 'accounts.csv': 'name,externalId\r\nAlder,a1\r\nBirch,b1\r\n' })
    const { code, stdout } = await crm.inTerminal('bulk', 'import', 'accounts.csv', '--object', 'account').ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('Written: 2 rows. Failed: 0.')])
    expect(await names()).toEqual(['Alder', 'Birch'])
  })

  it('writes the rows that failed to a file, and ends with 1', async () => {
    await crm.write({ 'accounts.ndjson': '{"name":"Alder"}\n{"name":"Birch","website":"nothing"}\n{"name":""}\n' })
    const { failures, ...job } = await crm.json<{ failures: string; recordsSucceeded: number; recordsFailed: number }>(
      ['bulk', 'import', 'accounts.ndjson', '--object', 'account', '--events', 'SUMMARY'],
      1,
    )
    expect(job.recordsSucceeded + job.recordsFailed).toBe(3)
    expect(failures).toBe('accounts.ndjson.failed.ndjson')
    const rows = (await readFile(join(crm.folder, failures), 'utf8')).trim().split('\n')
    expect(rows).toHaveLength(job.recordsFailed)
    expect(JSON.parse(rows.at(-1)!)).toMatchObject({ _row: 3, _field: 'name' })
  })

  it('goes on with a job of which only the answer to its closed file was lost', async () => {
    await crm.write({ 'accounts.csv': 'name\nAlder\n' })
    const states: unknown[] = []
    const url = await aProxy(platform.url, async ({ method, body }, res, passOn) => {
      if (method !== 'PATCH') return false
      states.push(JSON.parse(body.toString()))
      await passOn()
      res.destroy()
      return true
    })
    const job = await crm.json(['bulk', 'import', 'accounts.csv', '--object', 'account', '--url', url])
    expect(job).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 1 })
    expect(states).toEqual([{ state: 'UPLOAD_COMPLETE' }])
    expect(await names()).toEqual(['Alder'])
  })

  it('ends a job whose file is refused', async () => {
    await crm.write({ 'accounts.csv': 'nothing\nAlder\n' })
    expect(await crm.json(['bulk', 'import', 'accounts.csv', '--object', 'account'], 1)).toMatchObject({
      error: { code: 'VALIDATION_FAILED' },
    })
    const { body } = await owner.rest['bulkJobList']!({})
    expect(body['data']).toMatchObject([{ state: 'ABORTED' }])
  })

  describe('with rows that failed', () => {
    const imported = ['bulk', 'import', 'accounts.csv', '--object', 'account']
    beforeEach(() => crm.write({ 'accounts.csv': 'name\nAlder\n""\n', 'accounts.csv.failed.csv': 'before' }))
    const files = async (): Promise<string[]> => (await readdir(crm.folder)).toSorted()

    it('waits until a server that is busy has sent them, and writes over no file', async () => {
      let isBusy = true
      const url = await aProxy(platform.url, ({ path }, res) => {
        if (!isBusy || !path.endsWith('/results/failed')) return false
        isBusy = false
        res.writeHead(503, { 'retry-after': '0' }).end()
        return true
      })
      const job = await crm.json([...imported, '--url', url], 1)
      expect(job).toMatchObject({ recordsSucceeded: 1, recordsFailed: 1, failures: 'accounts.csv.failed-2.csv' })
      expect(await readFile(join(crm.folder, 'accounts.csv.failed.csv'), 'utf8')).toBe('before')
      expect(await readFile(join(crm.folder, 'accounts.csv.failed-2.csv'), 'utf8')).toMatch(/\r\n2,/)
    })

    it('shows its result, keeps no part of a file and ends with 4 if they do not arrive', async () => {
      const url = await aProxy(platform.url, ({ path }, res) => {
        if (!path.endsWith('/results/failed')) return false
        res.writeHead(200, { 'content-length': 1_000 }).write('_row', () => res.destroy())
        return true
      })
      const { code, stdout, stderr } = await crm.run([...imported, '--url', url])
      expect([code, stderr]).toEqual([4, expect.stringMatching(/^Error UNREACHABLE: http.* cannot be reached: /)])
      expect(stdout).toContain('Written: 1 row. Failed: 1. ')
      expect(await files()).toEqual(['accounts.csv', 'accounts.csv.failed.csv'])
      const job = await crm.json([...imported, '--url', url], 4)
      expect(job).toMatchObject({ recordsFailed: 1, failures: null, error: { code: 'UNREACHABLE' } })
    })
  })

  it('leaves out what rules find to be duplicates, and says how much', async () => {
    const matchers = [{ field: 'name', method: 'COMPANY' }]
    const body = { object: 'account', name: 'Same name', matchers, action: 'BLOCK' }
    expect((await owner.rest['duplicateRuleCreate']!({ body } as never)).status).toBe(201)
    await crm.write({ 'accounts.csv': 'name\nAlder\nALDER GmbH\nBirch\n' })
    const imported = ['bulk', 'import', 'accounts.csv', '--object', 'account', '--duplicates']
    const { code, stdout } = await crm.run([...imported, 'SKIP'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('Written: 2 rows. Skipped: 1. Failed: 0.')])
    expect(await names()).toEqual(['Alder', 'Birch'])
    expect((await crm.run([...imported, 'NONE'])).code).toBe(2)
  })

  it('writes nothing with --dry-run, and refuses what is no file', async () => {
    await crm.write({ 'accounts.csv': 'name\nAlder\n' })
    const { stdout } = await crm.run(['bulk', 'import', 'accounts.csv', '--object', 'account', '--dry-run'])
    expect(stdout).toContain('Checked: 1 row. Failed: 0.')
    expect(await names()).toEqual([])
    expect((await crm.run(['bulk', 'import', 'nothing.csv', '--object', 'account'])).code).toBe(2)
    expect(await crm.json(['bulk', 'import', 'accounts.csv', '--object', 'nothing'], 1)).toMatchObject({
      error: { code: 'VALIDATION_FAILED', errors: [{ path: 'object' }] },
    })
  })
})

describe('crm bulk export', () => {
  const exported = ['bulk', 'export', '--object', 'account', '--fields', 'name,externalId', '--order-by', 'name:ASC']
  const csv = 'name,externalId\r\n"Alder","a1"\r\n"Birch","b1"\r\n'
  const written = (file: string): Promise<string> => readFile(join(crm.folder, file), 'utf8')
  const files = async (): Promise<string[]> => (await readdir(crm.folder)).toSorted()
  const jobs = async (): Promise<unknown[]> => (await owner.rest['bulkJobList']!({})).body['data'] as unknown[]
  beforeEach(async () => {
    for (const body of [
      { name: 'Birch', externalId: 'b1' },
      { name: 'Alder', externalId: 'a1' },
    ])
      await owner.rest['accountCreate']!({ body } as never)
  })

  it('writes a new file with progress in a terminal, and over none', async () => {
    const { code, stdout } = await crm.inTerminal(...exported).ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('Exported: 2 records, 0.0 MB, to account.csv.')])
    expect(await crm.json(exported)).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: 2,
      file: 'account-2.csv',
    })
    expect([await files(), await written('account.csv'), await written('account-2.csv')]).toEqual([
      ['account-2.csv', 'account.csv'],
      csv,
      csv,
    ])
  })

  it('writes what a query finds, over the file that is named', async () => {
    await crm.write({ 'out.ndjson': 'before' })
    const filter = ['--filter', '{"name": {"startsWith": "A"}}', '--output', 'out.ndjson']
    expect(await crm.json([...exported, ...filter])).toMatchObject({ recordsSucceeded: 1, file: 'out.ndjson' })
    expect(await written('out.ndjson')).toBe('{"name":"Alder","externalId":"a1"}\n')
    const none = ['--search', 'nothing', '--format', 'ndjson', '--output', 'none']
    expect((await crm.run([...exported, ...none])).stdout).toContain('Exported: 0 records, 0.0 MB, to none.')
    expect([await files(), await written('none')]).toEqual([['none', 'out.ndjson'], ''])
  })

  it('writes to the standard output alone', async () => {
    const { code, stdout, stderr } = await crm.runProcess([
      ...exported,
      '--output',
      '-',
      '--options',
      '{"delimiter": ";"}',
    ])
    expect([code, stdout]).toEqual([0, csv.replaceAll(',', ';')])
    expect(stderr).toMatch(/^Exported: 2 records, 0\.0 MB\. Job /)
    expect(await files()).toEqual([])
  })

  it('makes one job of which the first answer was lost, waits for a busy server, and goes on with a file that was cut', async () => {
    const ranges: unknown[] = []
    let isCreated = false
    let isBusy = true
    const url = await aProxy(platform.url, async ({ method, path, headers }, res, passOn) => {
      if (method === 'POST' && !isCreated) {
        isCreated = true
        await passOn()
        res.destroy()
        return true
      }
      if (!path.endsWith('/download')) return false
      if (isBusy) {
        isBusy = false
        res.writeHead(503, { 'retry-after': '0' }).end()
        return true
      }
      ranges.push(headers['range'])
      if (ranges.length > 1) return false
      const whole = Buffer.from(await (await passOn()).arrayBuffer())
      res.writeHead(200, { 'content-length': whole.length }).write(whole.subarray(0, 20), () => res.destroy())
      return true
    })
    expect(await crm.json([...exported, '--url', url])).toMatchObject({ file: 'account.csv' })
    expect([await written('account.csv'), await files(), (await jobs()).length]).toEqual([csv, ['account.csv'], 1])
    expect(ranges).toEqual([undefined, 'bytes=20-'])
  })

  it('keeps no part of a file that does not arrive, and what was there before', async () => {
    await crm.write({ 'out.csv': 'before' })
    const url = await aProxy(platform.url, ({ path }, res) => {
      if (!path.endsWith('/download')) return false
      res.writeHead(200, { 'content-length': 1_000 }).write('name', () => res.destroy())
      return true
    })
    const { code, stderr } = await crm.run([...exported, '--output', 'out.csv', '--url', url])
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^Error UNREACHABLE: http.* cannot be reached: /)])
    expect([await files(), await written('out.csv')]).toEqual([['out.csv'], 'before'])
  })

  it('leaves nothing when it is ended while it waits', async () => {
    const url = await aProxy(platform.url, ({ path }) => {
      if (!/jobs\/[^/]+$/.test(path)) return false
      started.child.kill('SIGTERM')
      return true
    })
    const started = crm.start(...exported, '--url', url)
    expect(await started.ended).toMatchObject({ code: null, stdout: '' })
    expect(await files()).toEqual([])
  })

  it('tells why an export ended without a file, and refuses wrong use before it asks for one', async () => {
    const url = await aProxy(platform.url, async ({ path }, res, passOn) => {
      if (!/jobs\/[^/]+$/.test(path)) return false
      const job = (await (await passOn()).json()) as object
      const failed = { ...job, state: 'FAILED', errorCode: 'OWNER_INACTIVE', errorMessage: 'The user is gone.' }
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(failed))
      return true
    })
    expect(await crm.json([...exported, '--url', url], 1)).toMatchObject({ error: { code: 'OWNER_INACTIVE' } })
    const before = (await jobs()).length
    for (const wrong of [
      ['--filter', '[]'],
      ['--filter', 'name'],
      ['--options', '1'],
      ['--order-by', 'name:UP'],
      ['--output', '.'],
      ['--output', 'no/folder.csv'],
      ['--output', '-', '--json'],
    ])
      expect([wrong, (await crm.run(['bulk', 'export', '--object', 'account', ...wrong])).code]).toEqual([wrong, 2])
    expect((await jobs()).length).toBe(before)
    expect(await crm.json([...exported, '--filter', '{"nothing": 1}'], 1)).toMatchObject({
      error: { code: 'VALIDATION_FAILED' },
    })
    expect(await files()).toEqual([])
  })
})
