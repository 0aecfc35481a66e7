import { Directive } from 'type-graphql'

/** The `@tag` of mutations of which a request may contain only one. */
export const onePerRequestTag = 'one-per-request'

/** For mutations that verify a secret or send a mail, because their rate limits count requests, and for those that take as long as a request may. */
export const OnePerRequest = (): MethodDecorator =>
  Directive(`@tag(name: "${onePerRequestTag}")`) as unknown as MethodDecorator
