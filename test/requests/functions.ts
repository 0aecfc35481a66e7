import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

const source = 'export default (input) => ({ characters: String(input.title).length })'

let functions = 0

/** A function of which every operation accepts a request: it can be invoked, and has a version. */
const aFunction = ({ member }: Sender, whole: boolean) =>
  Promise.resolve({
    apiName: `f_${++functions}_${newId().slice(-8)}`,
    name: 'Count characters',
    source,
    language: 'javascript',
    httpEnabled: true,
    ...(whole && {
      description: 'Counts the characters of a title.',
      envVars: { UNIT: 'characters' },
      timeoutMs: 5000,
      memoryMb: 64,
      allowedHosts: ['*.example.com'],
      runAsUserId: member.userId,
      runAsAdmin: true,
      scopes: ['READ_LEADS'],
      eventTypes: ['lead.created'],
      schedule: '*/15 8-18 * * 1-5',
      isActive: true,
    }),
  })

async function aVersion({ member }: Sender, id: string): Promise<string> {
  const request = { id, body: { source, language: 'javascript' } }
  const { status, body } = await member.rest.serverlessFunctionVersionCreate!(request)
  if (status !== 201) throw new Error(`serverlessFunctionVersionCreate answered ${status}: ${JSON.stringify(body)}`)
  return body.id as string
}

/** The version that was saved for the request whose body is made next. */
let savedVersion = ''

async function twoVersions(requests: Sender, id: string): Promise<void> {
  savedVersion = await aVersion(requests, id)
  await requests.member.rest.serverlessFunctionDeploy!({ id, body: { versionId: savedVersion } })
}

async function aSecret({ member }: Sender, id: string, path: Record<string, string>): Promise<void> {
  if ('name' in path) path['name'] = 'CRM_TOKEN'
  const request = { id, name: 'CRM_TOKEN', body: { value: 'a value that only the function reads' } }
  await member.rest.serverlessFunctionSecretSet!(request)
}

async function anInvocation({ member }: Sender, id: string, path: Record<string, string>): Promise<void> {
  const request = { id, body: { input: { title: 'Chief Engineer' } } }
  const { body } = await member.rest.serverlessFunctionTest!(request)
  if ('invocationId' in path) path['invocationId'] = body.invocationId as string
}

export const functionPreparations = {
  serverlessFunctionDeploy: async (requests: Sender, id: string) => {
    savedVersion = await aVersion(requests, id)
  },
  serverlessFunctionRollback: twoVersions,
  serverlessFunctionSecretList: aSecret,
  serverlessFunctionSecretSet: aSecret,
  serverlessFunctionSecretDelete: aSecret,
  serverlessFunctionInvocation: anInvocation,
  serverlessFunctionInvocationList: async (requests: Sender, id: string, path: Record<string, string>) => {
    for (let row = 0; row < 2; row++) await anInvocation(requests, id, path)
  },
}

export const functionBodies = {
  serverlessFunctionCreate: aFunction,
  serverlessFunctionUpdate: async (requests: Sender, whole: boolean) => {
    const { apiName: _, source: _source, language: _language, ...settings } = await aFunction(requests, whole)
    return settings
  },
  serverlessFunctionVersionCreate: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ source, language: 'javascript', ...(whole && { note: 'Counts once.', deploy: true }) }),
  serverlessFunctionInvoke: () => Promise.resolve({ input: { title: 'Chief' } }),
  serverlessFunctionDeploy: () => Promise.resolve({ versionId: savedVersion }),
  serverlessFunctionTest: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ input: { title: 'Chief' }, ...(whole && { source, language: 'javascript' }) }),
}

/** Operations whose valid request is accepted only once. */
export const functionsOnce = ['serverlessFunctionRollback', 'serverlessFunctionSecretDelete']

/** A source must compile, and hosts, scopes, event types, schedules and variables have forms of their own; tests of functions send their bounds. */
export const functionsWithForms = [
  'serverlessFunctionCreate',
  'serverlessFunctionTest',
  'serverlessFunctionUpdate',
  'serverlessFunctionVersionCreate',
]
