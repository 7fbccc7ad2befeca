//===- TokenizerTest.cpp - colouring, keys, formats -----------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "gui/Format.h"
#include "gui/KeyIndex.h"
#include "gui/Keys.h"
#include "gui/MlirTokenizer.h"
#include <QTest>

namespace tilewright::gui {

/// One letter a byte, so that a failure shows the whole line.
static QString classes(const QByteArray &line) {
  std::vector<uint8_t> styles(line.size());
  tokenizeLine({line.data(), size_t(line.size())}, styles);
  QString text;
  for (uint8_t style : styles)
    text += QString(".CSNVYBTOKAp").at(style);
  return text;
}

class TokenizerTest : public QObject {
  Q_OBJECT
private slots:
  void lines_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("expected");
    QTest::newRow("operation")
        << QByteArray("%y = tw.matmul %a") << "VV.p.OOOOOOOOO.VV";
    QTest::newRow("type") << QByteArray("tensor<4x?xf32>") << "TTTTTTpTTTTTTTp";
    QTest::newRow("attribute") << QByteArray("{axis = -1}") << "pAAAA.p.NNp";
    QTest::newRow("comment") << QByteArray("%a // %b") << "VV.CCCCC";
    QTest::newRow("string with quote")
        << QByteArray("\"a\\\"b\" x") << "SSSSSS..";
    QTest::newRow("generic operation")
        << QByteArray("\"tw.add\"(%a)") << "OOOOOOOOpVVp";
    QTest::newRow("unfinished string") << QByteArray("\"abc") << "SSSS";
    QTest::newRow("float") << QByteArray("1.5e-3 f32") << "NNNNNN.TTT";
    QTest::newRow("hex") << QByteArray("0xFF") << "NNNN";
    QTest::newRow("symbol") << QByteArray("@f(^bb0)") << "YYpBBBBp";
    QTest::newRow("backslash at the end") << QByteArray("\"a\\") << "SSS";
    QTest::newRow("empty") << QByteArray("") << "";
  }
  void lines() {
    QFETCH(QByteArray, line);
    QFETCH(QString, expected);
    QCOMPARE(classes(line), expected);
  }

  void anyBytesAreClassed() {
    quint32 noise = 1;
    for (int round = 0; round < 2000; ++round) {
      QByteArray line;
      for (int i = 0; i < 40; ++i)
        line += char((noise = noise * 1664525u + 1013904223u) >> 24);
      std::vector<uint8_t> styles(line.size(), 255);
      tokenizeLine({line.data(), size_t(line.size())}, styles);
      for (uint8_t style : styles)
        QVERIFY(style < uint8_t(Token::Count));
    }
  }

  void operationKeys() {
    auto is = [](const char *key, const char *expected) {
      QCOMPARE(QString::fromStdString(std::string(operationKey(key))),
               QString(expected));
    };
    is("f/qk", "f/qk");
    is("f/p.row_max", "f/p");
    is("f/p:1", "f/p");
    is("f/qk#0", "f/qk");
    is("f/loop/qk#0", "f/loop/qk");
    is("f/tw.add~1a2b", "f/tw.add~1a2b");
    is("f/tw.add~1a2b@1", "f/tw.add~1a2b");
    is("f", "f");
    is("", "");
  }

  void keysMatch() {
    QVERIFY(keyMatches("f/p", "f/p.row_max"));
    QVERIFY(keyMatches("f/p.row_max", "f/p"));
    QVERIFY(keyMatches("f/loop", "f/loop/qk"));
    QVERIFY(!keyMatches("f/loop/qk", "f/loop"));
    QVERIFY(!keyMatches("f/q", "f/qk"));
    QVERIFY(!keyMatches("", "f"));
  }

  void indexAgreesWithTheRule() {
    std::vector<std::string> all = {
        "f",     "f/a",   "f/ab", "f/a.part",    "f/a/b",
        "f/a#1", "f/b:1", "g/a",  "f/tw.add~12", "f/tw.add~12@1"};
    KeyIndex index;
    for (size_t i = 0; i < all.size(); ++i)
      index.add(all[i], uint32_t(i));
    for (const std::string &selected : all) {
      std::vector<uint32_t> expected;
      for (size_t i = 0; i < all.size(); ++i)
        if (keyMatches(selected, all[i]))
          expected.push_back(uint32_t(i));
      QCOMPARE(index.lookup({selected}), expected);
    }
  }

  void numbers() {
    QCOMPARE(formatMilliseconds(0.0421), QString("0.042"));
    QCOMPARE(formatMilliseconds(1.337), QString("1.34"));
    QCOMPARE(formatMilliseconds(12.44), QString("12.4"));
    QCOMPARE(formatMilliseconds(128.4), QString("128"));
    QCOMPARE(formatNanoseconds(250), QString("250 ns"));
    QCOMPARE(formatNanoseconds(12400), QString("12.4 µs"));
    QCOMPARE(formatNanoseconds(3.214e6), QString("3.21 ms"));
    QCOMPARE(formatCount(1408), QString("1,408"));
    QCOMPARE(
        formatMetric({"flop", 1476395008, "flop", model::Origin::Estimated}),
        QString("flop 1.48 Gflop, estimated"));
    QCOMPARE(formatMetric({"read", 2097152, "bytes", model::Origin::Measured}),
             QString("read 2 MiB, measured"));
  }
};

static RegisterSuite<TokenizerTest> suite("Tokenizer");

} // namespace tilewright::gui

#include "TokenizerTest.moc"
