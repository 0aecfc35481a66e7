import { Api } from './api.ts'
import { credentialFor } from './credentials.ts'
import type { Environment } from './environment.ts'
import type { Screen } from './screen.ts'

/** What every command has. */
export interface Context {
  readonly screen: Screen
  readonly environment: Environment
  /** The server of `--url`; null if it was not given. */
  readonly url: string | null
  readonly version: string
}

/** The API of the server that the command is for. */
export const apiOf = async ({ environment, url, version }: Context): Promise<Api> =>
  new Api(await credentialFor(environment, url), version)
