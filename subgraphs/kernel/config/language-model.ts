import { ConfigError } from './config-error.ts'

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

/** The provider; null without its URL. */
export function languageModelOf(env: NodeJS.ProcessEnv, url: string | null): LanguageModelSettings | null {
  const { MODEL_NAME: name = '', MODEL_KEY: key = '' } = env
  const timeout = env.MODEL_TIMEOUT_MS || '8000'
  if (!/^\d{3,5}$/.test(timeout) || Number(timeout) < 100 || Number(timeout) > 60_000)
    throw new ConfigError(`MODEL_TIMEOUT_MS: "${timeout}" must be a number between 100 and 60000.`)
  if (!url && !name && !key) return null
  if (!url || !name) throw new ConfigError('MODEL_URL and MODEL_NAME must be set together; MODEL_KEY belongs to them.')
  if (!/^[\x21-\x7e]*$/.test(key)) throw new ConfigError('MODEL_KEY must consist of visible ASCII characters.')
  return { url: url.replace(/\/+$/, ''), key: key || null, name, timeoutMs: Number(timeout) }
}
