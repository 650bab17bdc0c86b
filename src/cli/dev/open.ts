import type { AssembleParts } from '../../composition/parts.ts';
import type { Config } from '../../config/schema.ts';
import type { Assembled } from '../../gatehouse.ts';
import type { NodeHandler } from '../../http/node.ts';
import type { Logger } from '../../logger.ts';
import { openMailer } from '../../mail/open.ts';
import { openSmsSender } from '../../sms/open.ts';
import { osUser } from '../os-user.ts';
import { createFirstAdministratorLink } from './first-administrator.ts';
import { createDevHandler } from './handler.ts';
import { createInbox } from './inbox.ts';
import { devPrefix } from './pages.ts';

interface DevelopmentParts {
  logger: Logger;
  /** Where the console backends write. */
  write: (text: string) => void;
}

/** The parts of `svc serve --dev` beside the service. None of it is loaded in production. */
export interface Development {
  /** The parts of the instance. */
  parts: Partial<AssembleParts>;
  /** Makes the rest for the instance. */
  attach(gatehouse: Assembled): {
    handler: NodeHandler;
    /** Returns the lines of the terminal about it. */
    lines(origin: string): Promise<string[]>;
  };
  /** Ends what would keep the server from stopping. */
  close(): void;
}

/** Opens the inbox of one process, and the link of the first administrator. */
export async function openDevelopment(
  config: Config,
  { logger, write }: DevelopmentParts,
): Promise<Development> {
  const inbox = createInbox();
  const mailer = await openMailer(config.email, logger, write);
  const smsSender = await openSmsSender(config.sms, logger, write);
  return {
    parts: {
      mailer: inbox.copyMails(mailer),
      smsSender: inbox.copyTexts(smsSender),
      developmentInbox: `${devPrefix}/inbox`,
      osUser: osUser(),
    },
    attach(gatehouse) {
      const link = createFirstAdministratorLink(gatehouse);
      return {
        handler: createDevHandler({ config, inbox, link }),
        lines: async origin => [
          `Mails and text messages: ${origin}${devPrefix}/inbox`,
          ...((await link.isNeeded())
            ? [
                `First administrator (works once): ${origin}${devPrefix}/first-administrator?token=${link.token}`,
              ]
            : []),
        ],
      };
    },
    close: inbox.close,
  };
}
