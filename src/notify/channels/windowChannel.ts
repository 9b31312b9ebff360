import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';

export const windowChannel = ({ show }: Pick<ChannelDeps, 'show'>): Channel => ({
  name: 'VS Code',
  send(message) {
    if (show === undefined)
      return Promise.reject(
        new NotifyFailure('absent', 'Only a VS Code window can show this notification.'),
      );
    show(message);
    return Promise.resolve();
  },
});
