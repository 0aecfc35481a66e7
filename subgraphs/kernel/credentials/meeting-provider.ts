import { ConfigError } from '../config/config-error.ts'

/** A provider of online meetings, connected as an OAuth 2.0 authorization server. */
export interface MeetingProvider {
  /** The name of the provider in the path of the callback. */
  readonly name: string
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
}

const texts = ['name', 'authorizeUrl', 'tokenUrl', 'clientId', 'clientSecret'] as const
const isUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
const wrong = (what: string): ConfigError => new ConfigError(`MEETING_PROVIDERS ${what}`)

function providerOf(given: unknown, index: number): MeetingProvider {
  const provider = (given ?? {}) as Record<string, unknown>
  const missing = texts.find((name) => typeof provider[name] !== 'string' || provider[name] === '')
  if (missing) throw wrong(`[${index}] must have a non-empty text ${missing}.`)
  const { scope = '' } = provider
  if (typeof scope !== 'string') throw wrong(`[${index}].scope must be text.`)
  const found = { ...provider, scope } as unknown as MeetingProvider
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(found.name)) throw wrong(`[${index}].name must have the form zoom or google-meet.`)
  const notUrl = (['authorizeUrl', 'tokenUrl'] as const).find((name) => !isUrl(found[name]))
  if (notUrl) throw wrong(`[${index}].${notUrl} must be a URL that starts with http:// or https://.`)
  return found
}

/** Parses a JSON array of providers. Error messages contain no secret. */
export function parseMeetingProviders(text: string): MeetingProvider[] {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw wrong('must be JSON.')
  }
  if (!Array.isArray(given)) throw wrong('must be a JSON array.')
  const providers = given.map(providerOf)
  const twice = providers.find(({ name }, index) => providers.findIndex((other) => other.name === name) !== index)
  if (twice) throw wrong(`names ${twice.name} twice.`)
  return providers
}
