import { Arg, Ctx, Mutation, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { IdentityContext } from '../context.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { refresh } from './refresh.ts'
import { register } from './register.ts'
import { sessionForget } from './session-forget.job.ts'
import { sessionOfUser, sessionTables } from './session.migrations.ts'
import { sessionChanges } from './session.events.ts'
import { LoginInput, RegisterInput, SignedIn, SignedOut } from './session.ts'

@Resolver()
export class SessionResolver {
  @Mutation(() => SignedIn, {
    description: 'Registers a person: joins an organization by its code, or creates one; starts a session.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authRegister(@InputArg(() => RegisterInput) input: RegisterInput, @Ctx() ctx: IdentityContext) {
    return register(ctx, input)
  }

  @Mutation(() => SignedIn, { description: 'Signs in with email and password, and starts a session.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authLogin(@InputArg(() => LoginInput) input: LoginInput, @Ctx() ctx: IdentityContext) {
    return login(ctx, input)
  }

  @Mutation(() => SignedIn, { description: 'Exchanges a refresh token for new tokens of its session.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authRefresh(
    @Arg('refreshToken', () => String, {
      nullable: true,
      description: 'The refresh token; null: the one in the cookie of the request.',
    })
    refreshToken: string | null,
    @Ctx() ctx: IdentityContext,
  ) {
    return refresh(ctx, refreshToken)
  }

  @Mutation(() => SignedOut, { description: 'Ends the session of the access token.' })
  @OnePerRequest()
  @RequiresScopes('SESSION')
  authLogout(@Ctx() ctx: IdentityContext) {
    return logout(ctx)
  }
}

export const sessionResource: Resource = {
  resolver: SessionResolver,
  crossTenantFields: ['authRegister', 'authLogin', 'authRefresh'],
  announces: [sessionChanges],
  migrations: [sessionTables, sessionOfUser],
  jobs: [sessionForget],
}
