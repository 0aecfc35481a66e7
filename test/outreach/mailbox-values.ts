/** The input of a mailbox at an SMTP and an IMAP server of this machine. */
export const mailboxValues = (email: string, smtpPort: number, imapPort: number) => ({
  name: 'Ann',
  email,
  smtpHost: '127.0.0.1',
  smtpPort,
  smtpSecurity: 'NONE',
  imapHost: '127.0.0.1',
  imapPort,
  imapSecurity: 'NONE',
  imapUser: email,
  imapPassword: 'secret',
})
