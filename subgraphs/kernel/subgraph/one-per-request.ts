import { Directive } from 'type-graphql'

/** The `@tag` of mutations of which a request may contain only one. */
export const onePerRequestTag = 'one-per-request'

/** The `@tag` of those of them that can be tried in a dry run, because they change rows only. */
export const triedAloneTag = 'tried-alone'

/** For mutations that verify a secret or send a mail, because their rate limits count requests, and for those that take as long as a request may. */
export const OnePerRequest =
  ({ isTried = false } = {}): MethodDecorator =>
  (...method) => {
    for (const name of [onePerRequestTag, ...(isTried ? [triedAloneTag] : [])])
      (Directive(`@tag(name: "${name}")`) as unknown as MethodDecorator)(...method)
  }
