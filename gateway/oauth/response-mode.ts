import type * as Oidc from 'oidc-provider'
import type { Provider } from 'oidc-provider'

interface Answered {
  responseModeAllowed: () => boolean
}

/**
 * Answers of the authorization come back in the query, as the metadata says. The package has a fragment and a form as well,
 * which cannot be switched off; who asks for one is refused, in the query.
 */
export function answerInQuery(oidc: typeof Oidc, provider: Provider): void {
  const clients = provider.Client.prototype as unknown as Answered
  clients.responseModeAllowed = () => {
    const params = oidc.Provider.ctx?.oidc.params
    if (!params || params['response_mode'] === undefined || params['response_mode'] === 'query') return true
    delete params['response_mode']
    return false
  }
}
