import { text } from 'node:stream/consumers'
import { Api } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import { credentialFile, currentServer, forgetKey, rememberKey, serverUrl } from '../credentials.ts'
import { Failure, refusedFailure, usageFailure } from '../failure.ts'
import { plainLine } from '../plain.ts'

interface Viewer {
  readonly name: string
  readonly email: string
  readonly role: string
  readonly scopes: readonly string[] | null
  readonly organization: { readonly id: string; readonly name: string }
}

const labelLength = 14

const isLocal = ({ hostname }: URL): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

const shown = (url: string, { name, email, role, scopes, organization }: Viewer): string[] =>
  [
    `Server        ${url}`,
    `Organization  ${organization.name}`,
    `User          ${name} <${email}>, ${role}`,
    `Scopes        ${scopes === null ? 'those of the user' : scopes.join(', ')}`,
  ].map((line) => line.slice(0, labelLength) + plainLine(line.slice(labelLength)))

const summary = (url: string, { name, email, role, scopes, organization: { id, name: of } }: Viewer) => ({
  url,
  organization: { id, name: of },
  user: { name, email, role },
  scopes,
})

async function keyFrom({ screen }: Context): Promise<string> {
  const given = screen.isInteractive ? await screen.askSecret('API key') : await text(process.stdin)
  const key = given.trim()
  if (key === '') throw usageFailure('Write the API key to the standard input: crm login --url <url> < key.txt')
  if (/[^\x21-\x7E]/.test(key)) throw usageFailure('The API key must be one word of ASCII characters.')
  return key
}

/** Checks an API key, and keeps it for its server. */
export async function login(context: Context): Promise<void> {
  const { screen, environment, version } = context
  let named = context.url ?? environment.url
  if (named === null && screen.isInteractive)
    named = await screen.ask('URL of the server', (await currentServer(environment)) ?? '')
  if (named === null) throw usageFailure('Name the server: crm login --url https://crm.example.com')
  const url = serverUrl(named)
  if (url.startsWith('http:') && !isLocal(new URL(url)))
    screen.note('Warning: the server is not reached by https, so others in the network can read the key.')
  const apiKey = await keyFrom(context)
  const viewer = await screen.during('Checking the key', () =>
    new Api({ url, apiKey }, version).get<Viewer>('/v1/whoami'),
  )
  await rememberKey(environment, url, apiKey)
  if (environment.apiKey !== null) screen.note('Warning: CRM_API_KEY is set, and used in place of this key.')
  screen.result(summary(url, viewer), () => [
    ...shown(url, viewer),
    '',
    `The key is kept in ${credentialFile(environment)}.`,
  ])
}

/** Forgets the key of a server. It stays valid. */
export async function logout(context: Context): Promise<void> {
  const { screen, environment } = context
  const named = context.url ?? environment.url ?? (await currentServer(environment))
  if (named === null) throw new Failure('credential', 'NOT_LOGGED_IN', 'There is no key to forget.')
  const url = serverUrl(named)
  if (!(await forgetKey(environment, url))) throw refusedFailure('NOT_FOUND', `There is no API key for ${url}.`)
  screen.result({ url }, () => [`The key of ${url} is forgotten. Revoke it in the organization if nobody needs it.`])
}

/** For whom the commands act. */
export async function whoami(context: Context): Promise<void> {
  const api = await apiOf(context)
  const viewer = await api.get<Viewer>('/v1/whoami')
  context.screen.result(summary(api.url, viewer), () => shown(api.url, viewer))
}
