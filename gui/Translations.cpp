//===- Translations.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace tilewright::gui {

namespace {
/// lupdate knows classes without the namespaces around them, tr() with them.
class Translator : public QTranslator {
public:
  using QTranslator::QTranslator;
  QString translate(const char *context, const char *text,
                    const char *disambiguation, int n) const override {
    QByteArrayView name(context);
    static constexpr QByteArrayView space("tilewright::gui::");
    if (name.startsWith(space))
      context += space.size();
    return QTranslator::translate(context, text, disambiguation, n);
  }
};
} // namespace

bool installTranslation(const QString &language) {
  QLocale locale = language.isEmpty() ? QLocale() : QLocale(language);
  if (!language.isEmpty()) {
    if (locale.language() == QLocale::C)
      return false;
    QLocale::setDefault(locale);
  }
  auto *ours = new Translator(qApp);
  if (!ours->load(locale, "tilewright", "_", ":/i18n")) {
    delete ours;
    // Plural forms of English are a translation, too.
    ours = new Translator(qApp);
    if (ours->load(":/i18n/tilewright_en.qm"))
      QCoreApplication::installTranslator(ours);
    else
      delete ours;
    return language.isEmpty() || locale.language() == QLocale::English;
  }
  auto *qt = new QTranslator(qApp);
  if (qt->load(locale, "qtbase", "_",
               QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(qt);
  else
    delete qt;
  QCoreApplication::installTranslator(ours);
  return true;
}

} // namespace tilewright::gui
