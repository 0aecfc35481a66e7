import { ConfigError } from './config-error.ts'
import { numberOf } from './values.ts'

/** The configured provider of language models, which speaks the chat completions API of OpenAI. */
export interface LanguageModelSettings {
  /** Base URL of the API, with its version and without a slash at the end. */
  readonly url: string
  /** Null: the provider needs no key. */
  readonly key: string | null
  /** The name of the model, as the provider calls it. */
  readonly name: string
  readonly timeoutMs: number
}

/** Modes of the assistant that other providers serve, each by its own settings. */
export const namedModes = ['vendor_a', 'vendor_b', 'vendor_b_cx', 'vendor_b_portal'] as const
export type NamedMode = (typeof namedModes)[number]
export type NamedModels = Readonly<Partial<Record<NamedMode, LanguageModelSettings>>>

/** Tokens of the models that one user may use in a day, and one organization in a month. */
export interface TokenBudgets {
  readonly userDay: number
  readonly organizationMonth: number
}

const tokensOf = (name: string, text: string): number => numberOf(name, text, [1, 99_999_999])

export const tokenBudgetsOf = (env: NodeJS.ProcessEnv): TokenBudgets => ({
  userDay: tokensOf('MODEL_TOKENS_PER_USER_DAY', env.MODEL_TOKENS_PER_USER_DAY || '200000'),
  organizationMonth: tokensOf(
    'MODEL_TOKENS_PER_ORGANIZATION_MONTH',
    env.MODEL_TOKENS_PER_ORGANIZATION_MONTH || '2000000',
  ),
})

const isKey = (key: unknown): key is string => typeof key === 'string' && /^[\x21-\x7e]*$/.test(key)

/** `MODEL_MODES`: a JSON object with `url`, `name` and, if the provider needs one, `key` of each mode. */
export function namedModelsOf(
  text: string,
  timeoutMs: number,
  urlOf: (name: string, value: string) => string | null,
): NamedModels {
  const refuse = (rule: string): never => {
    throw new ConfigError(`MODEL_MODES: ${rule}`)
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return refuse('must be JSON.')
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refuse('must be a JSON object.')
  const entries = Object.entries(given).map(([mode, settings]): [NamedMode, LanguageModelSettings] => {
    if (!(namedModes as readonly string[]).includes(mode))
      return refuse(`"${mode}" must be one of ${namedModes.join(', ')}.`)
    const { url, name, key = '', ...others } = (settings ?? {}) as Record<string, unknown>
    if (
      typeof url !== 'string' ||
      typeof name !== 'string' ||
      name === '' ||
      !isKey(key) ||
      Object.keys(others).length > 0
    )
      return refuse(`${mode} must have url and name, and may have key.`)
    const base = urlOf('MODEL_MODES', url)
    if (!base) return refuse(`${mode} must have url and name, and may have key.`)
    return [mode as NamedMode, { url: base.replace(/\/+$/, ''), key: key || null, name, timeoutMs }]
  })
  return Object.fromEntries(entries)
}

export const modelTimeoutOf = (env: NodeJS.ProcessEnv): number =>
  numberOf('MODEL_TIMEOUT_MS', env.MODEL_TIMEOUT_MS || '8000', [100, 60_000])

/** The provider; null without its URL. */
export function languageModelOf(env: NodeJS.ProcessEnv, url: string | null): LanguageModelSettings | null {
  const { MODEL_NAME: name = '', MODEL_KEY: key = '' } = env
  const timeoutMs = modelTimeoutOf(env)
  if (!url && !name && !key) return null
  if (!url || !name) throw new ConfigError('MODEL_URL and MODEL_NAME must be set together; MODEL_KEY belongs to them.')
  if (!isKey(key)) throw new ConfigError('MODEL_KEY must consist of visible ASCII characters.')
  return { url: url.replace(/\/+$/, ''), key: key || null, name, timeoutMs }
}
