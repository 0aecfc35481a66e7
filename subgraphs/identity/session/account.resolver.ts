import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { newCsrfToken } from '../../kernel/credentials/public.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { IdentityContext } from '../context.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { acceptInvitation } from '../invitation/accept-invitation.ts'
import { oneTimeTokenForget } from '../one-time-token/one-time-token-forget.job.ts'
import { oneTimeTokenTable } from '../one-time-token/one-time-token.migrations.ts'
import { User } from '../user/user.ts'
import {
  AcceptPartnerInviteInput,
  ChangePasswordInput,
  CsrfToken,
  EmailInput,
  EmailVerified,
  MailRequested,
  PartnerInvite,
  PartnerInviteInput,
  PasswordChanged,
  ResetCodeInput,
  ResetCodeVerified,
  ResetPasswordInput,
  SessionCount,
  SignedOutEverywhere,
  UpdateProfileInput,
} from './account.ts'
import { changePassword } from './change-password.ts'
import { countSessions, logoutAll } from './logout-all.ts'
import { sendMagicLink, signInByLink } from './magic-link.ts'
import { invitePartner } from './partner-invite.ts'
import { forgotPassword, resetPassword, verifyResetCode } from './reset-password.ts'
import { SignedIn } from './session.ts'
import { updateProfile } from './update-profile.ts'
import { verifyEmail } from './verify-email.ts'

/** Operations of a person on the own account, other than sign-in and sign-out. */
@Resolver()
export class AccountResolver {
  @Mutation(() => EmailVerified, { description: 'Verifies the email address with the one-time token of a mail.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authVerifyEmail(
    @Arg('token', () => String, { description: 'The one-time token in the mail.' }) token: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return verifyEmail(ctx, token)
  }

  @Mutation(() => MailRequested, { description: 'Sends a mail with a sign-in link.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authMagicLinkSend(@InputArg(() => EmailInput) input: EmailInput, @Ctx() ctx: IdentityContext) {
    return sendMagicLink(ctx, input)
  }

  @Mutation(() => SignedIn, { description: 'Signs in with the one-time token of a mailed link, and starts a session.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authMagicLink(
    @Arg('token', () => String, { description: 'The one-time token in the mail.' }) token: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return signInByLink(ctx, token)
  }

  @Mutation(() => MailRequested, { description: 'Sends a mail with a code for setting a new password.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authForgotPassword(@InputArg(() => EmailInput) input: EmailInput, @Ctx() ctx: IdentityContext) {
    return forgotPassword(ctx, input)
  }

  @Mutation(() => ResetCodeVerified, { description: 'Checks a code without consuming it. Wrong guesses are counted.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authVerifyResetCode(@InputArg(() => ResetCodeInput) input: ResetCodeInput, @Ctx() ctx: IdentityContext) {
    return verifyResetCode(ctx, input)
  }

  @Mutation(() => PasswordChanged, {
    description: 'Sets a new password with a code, which is consumed, and ends all sessions of the person.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authResetPassword(@InputArg(() => ResetPasswordInput) input: ResetPasswordInput, @Ctx() ctx: IdentityContext) {
    return resetPassword(ctx, input)
  }

  @Mutation(() => SignedIn, {
    description: 'Changes the password, ends all sessions of the person, and starts a new one.',
  })
  @OnePerRequest()
  @RequiresScopes('SESSION')
  authChangePassword(@InputArg(() => ChangePasswordInput) input: ChangePasswordInput, @Ctx() ctx: IdentityContext) {
    return changePassword(ctx, input)
  }

  @Mutation(() => User, { description: 'Changes the profile of the signed-in user.' })
  @OnePerRequest({ isTried: true })
  @RequiresScopes('SESSION')
  authUpdateProfile(@InputArg(() => UpdateProfileInput) input: UpdateProfileInput, @Ctx() ctx: IdentityContext) {
    return updateProfile(ctx, input)
  }

  @Mutation(() => PartnerInvite, {
    description:
      'Invites a user like `userInvite`, with an email address only. A repeated invitation replaces the former one.',
  })
  @OnePerRequest({ isTried: true })
  @RequiresScopes('SESSION')
  partnerInvite(@InputArg(() => PartnerInviteInput) input: PartnerInviteInput, @Ctx() ctx: IdentityContext) {
    return invitePartner(ctx, input)
  }

  @Mutation(() => SignedIn, { description: 'Accepts an invitation with its one-time token, and starts a session.' })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  authAcceptPartnerInvite(
    @InputArg(() => AcceptPartnerInviteInput) input: AcceptPartnerInviteInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return acceptInvitation(ctx, input)
  }

  @Mutation(() => SignedOutEverywhere, { description: 'Ends all sessions of the person in all organizations.' })
  @OnePerRequest()
  @RequiresScopes('SESSION')
  authLogoutAll(@Ctx() ctx: IdentityContext) {
    return logoutAll(ctx)
  }

  @Query(() => SessionCount, { description: 'Counts the active sessions of the signed-in person.' })
  @RequiresScopes('SESSION')
  authSessionCount(@Ctx() ctx: IdentityContext) {
    return countSessions(ctx)
  }

  @Query(() => CsrfToken, {
    description: 'A CSRF token for the session of the request; without a session, a token that is valid for none.',
  })
  @RequiresScopes('PUBLIC')
  authCsrfToken(@Ctx() { caller, keys }: IdentityContext): CsrfToken {
    return { csrfToken: newCsrfToken(keys.encryption, caller.kind === 'SESSION' ? caller.credentialId : '') }
  }
}

export const accountResource: Resource = {
  resolver: AccountResolver,
  crossTenantFields: [
    'authVerifyEmail',
    'authMagicLinkSend',
    'authMagicLink',
    'authForgotPassword',
    'authVerifyResetCode',
    'authResetPassword',
    'authChangePassword',
    'authUpdateProfile',
    'authAcceptPartnerInvite',
    'authLogoutAll',
    'authSessionCount',
    'partnerInvite',
  ],
  crossTenantDryRuns: ['authUpdateProfile', 'partnerInvite'],
  migrations: [oneTimeTokenTable],
  jobs: [oneTimeTokenForget],
}
