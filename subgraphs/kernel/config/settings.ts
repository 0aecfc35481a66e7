import type { Config, RegistrationMode } from './config.ts'

/** The part of the configuration that answers and mails contain. */
export interface Settings extends Pick<
  Config,
  | 'mailLinkOrigins'
  | 'newOrganizationMails'
  | 'meetingProviders'
  | 'payments'
  | 'vapid'
  | 'storedBytes'
  | 'eventRetentionDays'
> {
  /** Base URL of links to the platform, without a slash at the end. Without PUBLIC_URL it is set when the gateway listens. */
  publicUrl: string
  registration: RegistrationMode
  /** The modes of the assistant that a configured provider serves. */
  readonly modelModes: readonly string[]
}

export const settingsOf = ({
  publicUrl,
  port,
  mailLinkOrigins,
  newOrganizationMails,
  meetingProviders,
  registration,
  payments,
  vapid,
  storedBytes,
  eventRetentionDays,
  languageModel,
  namedModels,
}: Config): Settings => ({
  publicUrl: publicUrl ?? `http://localhost:${port}`,
  mailLinkOrigins,
  newOrganizationMails,
  meetingProviders,
  registration,
  payments,
  vapid,
  storedBytes,
  eventRetentionDays,
  modelModes: [...(languageModel ? ['model'] : []), ...Object.keys(namedModels)],
})
