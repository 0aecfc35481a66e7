import { paths } from './provider.ts'

/** Metadata of the authorization server (RFC 8414). */
export const metadataOf = (issuer: string, scopes: readonly string[], registration: boolean): object => ({
  issuer,
  authorization_endpoint: issuer + paths.authorization,
  token_endpoint: issuer + paths.token,
  revocation_endpoint: issuer + paths.revocation,
  introspection_endpoint: issuer + paths.introspection,
  ...(registration && { registration_endpoint: issuer + paths.registration }),
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})
