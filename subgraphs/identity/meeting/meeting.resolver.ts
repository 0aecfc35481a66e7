import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { IdentityContext } from '../context.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { connectMeeting } from './connect-meeting.ts'
import { disconnectMeeting } from './disconnect-meeting.ts'
import { meetingCallback } from './meeting-callback.ts'
import { meetingStateForget } from './meeting-state-forget.job.ts'
import { MeetingAuthorization, MeetingConnection, OauthStatus } from './meeting.ts'
import { meetingConnectionChanges } from './meeting.events.ts'
import { meetingTables } from './meeting.migrations.ts'
import { sealedMeetingColumns } from './meeting.ts'

@Resolver()
export class MeetingResolver {
  @Query(() => OauthStatus, { description: 'The external providers that this deployment is configured for.' })
  @RequiresScopes('PUBLIC')
  authOauthStatus(@Ctx() { settings }: IdentityContext): OauthStatus {
    return { signInProviders: [], meetingProviders: settings.meetingProviders.map(({ name }) => ({ name })) }
  }

  @Query(() => [MeetingConnection], {
    description: 'The meeting providers that the signed-in user has connected, ordered by name.',
  })
  @RequiresScopes('SESSION')
  meetingConnectionList(@Ctx() { db, caller }: IdentityContext) {
    return db.query<MeetingConnection>(
      `select provider, scope, expires_at as "expiresAt", connected_at as "connectedAt" from identity.meeting_connection
       where organization_id = $1 and user_id = $2 order by provider`,
      [caller.organizationId, caller.userId],
    )
  }

  @Mutation(() => MeetingAuthorization, {
    description: 'Starts the connection to a meeting provider and returns the URL for the browser.',
  })
  @OnePerRequest()
  @RequiresScopes('SESSION')
  meetingConnect(
    @Arg('provider', () => String, { description: 'Name of a configured meeting provider.' }) provider: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return connectMeeting(ctx, provider)
  }

  @Mutation(() => MeetingConnection, {
    description: "Completes the connection with `code` and `state` of the provider's callback.",
  })
  @OnePerRequest()
  @RequiresScopes('SESSION')
  authMeetingCallback(
    @Arg('provider', () => String, { description: 'Name of a configured meeting provider.' }) provider: string,
    @Arg('code', () => String, { description: 'Authorization code from the callback of the provider.' }) code: string,
    @Arg('state', () => String, {
      description: 'Value from the callback of the provider; it proves that this user started the connection.',
    })
    state: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return meetingCallback(ctx, { provider, code, state })
  }

  @Mutation(() => String, {
    description: "Deletes the user's connection and tokens of the provider; returns the provider's name.",
  })
  @OnePerRequest({ isTried: true })
  @RequiresScopes('SESSION')
  meetingDisconnect(
    @Arg('provider', () => String, { description: 'Name of a configured meeting provider.' }) provider: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return disconnectMeeting(ctx, provider)
  }
}

export const meetingResource: Resource = {
  sealed: sealedMeetingColumns,
  resolver: MeetingResolver,
  announces: [meetingConnectionChanges],
  migrations: [meetingTables],
  jobs: [meetingStateForget],
}
